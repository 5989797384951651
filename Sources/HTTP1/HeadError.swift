package import Net

/// Why a message head was refused. The same cases describe requests and responses; a response fault becomes a 502 at the caller.
package enum HeadError: Error, Hashable {
    case malformedRequestLine, badMethod, badTarget, badVersion, badStatusLine
    case badFieldName, missingColon, spaceBeforeColon, controlInValue, bareCR, bareLF, obsFold, leadingSpace
    case missingHost, duplicateHost
    case badHost(AuthorityError)
    case badAuthority(AuthorityError)
    case missingPort, schemeUnsupported, methodTargetMismatch, fragmentInTarget
    case badContentLength, conflictingContentLength, lengthAndTransferEncoding, badTransferEncoding, transferEncodingIn10, bodyNotAllowed
    case badMaxForwards, duplicateProxyAuthorization, tooManyConnectionOptions
    case requestLineTooLong
    case headTooLarge, tooManyFields
    case versionNotSupported
    case transferCodingNotImplemented
    case expectationFailed

    /// The status code that answers a request with this fault.
    package var status: Int {
        switch self {
        case .requestLineTooLong: 414
        case .expectationFailed: 417
        case .headTooLarge, .tooManyFields: 431
        case .transferCodingNotImplemented: 501
        case .versionNotSupported: 505
        default: 400
        }
    }

    /// One line that names the fault, without any byte of the message, without a capital or a full stop.
    package var sentence: String {
        switch self {
        case .badHost(let error): "the Host field is not valid: \(error.sentence)"
        case .badAuthority(let error): "the authority of the request target is not valid: \(error.sentence)"
        default: lineSentence ?? targetSentence ?? framingSentence
        }
    }

    private var lineSentence: String? {
        switch self {
        case .malformedRequestLine: "the request line is not a method, a target and a version with one space between them"
        case .badMethod: "the message does not begin with a method"
        case .badTarget: "the request target holds a byte that is not allowed there"
        case .badVersion: "the version of the request line is not HTTP/ with two digits"
        case .badStatusLine: "the status line is not a version and a three-digit code"
        case .badFieldName: "a field name is empty or holds a byte that is not allowed there"
        case .missingColon: "a field line has no colon"
        case .spaceBeforeColon: "a field name holds or is followed by whitespace"
        case .controlInValue: "a field value holds a control byte"
        case .bareCR: "a carriage return is not followed by a line feed"
        case .bareLF: "a line feed is not preceded by a carriage return"
        case .obsFold: "a field line is folded"
        case .leadingSpace: "whitespace stands before the first field line"
        case .requestLineTooLong: "the request line is too long"
        case .headTooLarge: "the message head is too large"
        case .tooManyFields: "the message head has too many fields"
        case .versionNotSupported: "only version 1 of HTTP is spoken here"
        default: nil
        }
    }

    private var targetSentence: String? {
        switch self {
        case .missingHost: "the Host field is missing"
        case .duplicateHost: "there is more than one Host field"
        case .missingPort: "the target of CONNECT has no port"
        case .schemeUnsupported: "the scheme of the request target is neither http nor https"
        case .methodTargetMismatch: "the form of the request target does not fit the method"
        case .fragmentInTarget: "the request target holds a fragment"
        case .badMaxForwards: "the Max-Forwards field is not one number"
        case .duplicateProxyAuthorization: "there is more than one Proxy-Authorization field"
        case .tooManyConnectionOptions: "the Connection field names too many fields"
        case .expectationFailed: "the Expect field asks for something other than 100-continue"
        default: nil
        }
    }

    private var framingSentence: String {
        switch self {
        case .badContentLength: "the Content-Length field is not one number of bytes"
        case .conflictingContentLength: "there is more than one Content-Length"
        case .lengthAndTransferEncoding: "the message has both Content-Length and Transfer-Encoding"
        case .badTransferEncoding: "the Transfer-Encoding field is not valid"
        case .transferEncodingIn10: "a message of HTTP/1.0 has a Transfer-Encoding field"
        case .transferCodingNotImplemented: "the only transfer coding known here is chunked"
        case .bodyNotAllowed: "a message with this method has no body"
        default: "the message head is not valid"
        }
    }
}
