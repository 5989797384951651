/// How the end of a message's body is found (RFC 9112 section 6.3).
package enum BodyFraming: Sendable, Equatable {
    /// There is no body.
    case none
    /// So many bytes follow the head.
    case length(UInt64)
    /// The body comes in chunks; `ChunkedDecoder` reads them.
    case chunked
    /// The body ends where the connection ends; responses only.
    case untilClose
}

/// What the Transfer-Encoding lines of a head ask for together.
struct TransferCodings {
    private(set) var isPresent = false
    private var isChunkedAlone = false
    private var sawChunked = false
    private var sawUnknown = false
    private var isMalformed = false

    /// Takes one more Transfer-Encoding line.
    mutating func add(_ value: ByteRange, _ bytes: UnsafeRawBufferPointer) {
        isChunkedAlone = !isPresent && Bytes.equals(value.slice(bytes), ignoringCase: "chunked")
        isPresent = true
        var isEmpty = true
        for coding in ListElements(value, bytes) {
            isEmpty = false
            let name = coding.slice(bytes)
            // Nothing may follow chunked, itself included: whatever does would be framed by something else.
            if sawChunked || !Bytes.isToken(name) { isMalformed = true }
            if Bytes.equals(name, ignoringCase: "chunked") { sawChunked = true } else { sawUnknown = true }
        }
        if isEmpty { isMalformed = true }
    }

    /// Throws unless the codings are exactly `chunked`, written once. A lenient reading of anything else is how requests are smuggled.
    func check() throws(HeadError) {
        if isChunkedAlone { return }
        throw isMalformed || !sawUnknown ? .badTransferEncoding : .transferCodingNotImplemented
    }
}

/// What the Content-Length lines of a head state together.
struct ContentLengths {
    private(set) var value: UInt64?
    private(set) var count = 0

    /// Takes one more Content-Length line, which may be a list; each number has 1 to 19 digits, and all must be equal.
    mutating func add(_ field: ByteRange, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        if let number = Bytes.number(field.slice(bytes)) {
            try add(number)
            return
        }
        var isEmpty = true
        for element in ListElements(field, bytes) {
            guard let number = Bytes.number(element.slice(bytes)) else { throw .badContentLength }
            isEmpty = false
            try add(number)
        }
        if isEmpty { throw .badContentLength }
        // A list with one member and stray commas counts as repeated, so that requests refuse it.
        count += 1
    }

    private mutating func add(_ number: UInt64) throws(HeadError) {
        if let value, value != number { throw .conflictingContentLength }
        value = number
        count += 1
    }
}
