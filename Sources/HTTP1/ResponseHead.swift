/// What a whole, valid response head says. Ranges refer to the head's bytes.
package struct ResponseHead: Sendable {
    /// The code, 100...999.
    package let status: Int
    /// The reason phrase as written; often empty.
    package let reasonRange: ByteRange
    /// The second digit of the version; 1 and above mean HTTP/1.1.
    package let minorVersion: UInt8
    /// How the body ends.
    package let framing: BodyFraming
    /// The number in Content-Length, also where it frames nothing (an answer to HEAD, a 304).
    package let contentLength: UInt64?
    /// True when the connection may carry another exchange after this one: HTTP/1.1, no `close`, and a body whose end is marked.
    package let persistent: Bool
    /// True when there is a Date field that passes through.
    package let hasDate: Bool
    /// True for a 101 that names the protocol it switches to.
    package let upgrade: Bool
    /// The protocols that a 101 switches to; none for every other status.
    package let chosenProtocols: UpgradeProtocols

    /// True when there is an Upgrade field that Connection names.
    let hasUpgrade: Bool
    /// Index of the last Via line, -1 when there is none.
    let lastViaIndex: Int
    let connectionOptions: ConnectionOptions

    /// True when the answer can have no body whatever its fields say: 1xx, 204 and 304 (RFC 9112 section 6.3).
    package var isBodiless: Bool { status < 200 || status == 204 || status == 304 }

    /// Reads what `parser`, which must hold a whole response head, found in `bytes`. `requestMethod` is that of the request answered.
    ///
    /// A response with two readings of its end is refused: both framing fields, lengths that differ, a coding other than
    /// chunked, chunked from an HTTP/1.0 server. The answer to CONNECT is not judged here: what follows a 2xx is a tunnel.
    package init(_ parser: HeadParser, _ bytes: UnsafeRawBufferPointer, requestMethod: Method) throws(HeadError) {
        let summary = try HeadSummary(parser.fields, bytes)
        let isModern = parser.minorVersion >= 1
        status = parser.status
        reasonRange = parser.reason
        minorVersion = parser.minorVersion
        contentLength = summary.lengths.value
        let marked = try ResponseHead.framing(summary, isModern)
        let isEmpty = status < 200 || status == 204 || status == 304 || requestMethod == .head
        framing = isEmpty ? .none : marked
        persistent = isModern && !summary.closes && framing != .untilClose && status != 101
        hasDate = summary.hasDate
        hasUpgrade = summary.hasUpgrade && summary.namesUpgrade
        upgrade = status == 101 && hasUpgrade
        chosenProtocols = upgrade ? UpgradeProtocols(summary.protocols, bytes) : .none
        lastViaIndex = summary.lastVia
        connectionOptions = summary.options
    }

    private static func framing(_ summary: HeadSummary, _ isModern: Bool) throws(HeadError) -> BodyFraming {
        if summary.codings.isPresent {
            guard isModern else { throw .transferEncodingIn10 }
            if summary.lengths.count > 0 { throw .lengthAndTransferEncoding }
            try summary.codings.check()
            return .chunked
        }
        return summary.lengths.value.map(BodyFraming.length) ?? .untilClose
    }
}
