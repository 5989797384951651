// Bounds: `parse` reads offsets below min(bytes.count, limits.head) only; the ranges it leaves lie inside the head it reports.

/// Finds the parts of a message head, strictly and incrementally (RFC 9112 sections 2 to 5). One per connection in use.
///
/// Each byte is looked at once, so feeding a head byte by byte costs as little as feeding it whole. A fault is reported as soon as
/// the byte that shows it has come; after a fault the parser must be `reset`.
package final class HeadParser {
    /// Whether heads of requests or of responses are read.
    package enum Kind: Sendable { case request, response }

    /// What is read.
    package let kind: Kind
    /// The bounds kept.
    package let limits: HeadLimits

    // Private, and changed through local copies only, so that no access needs a check for overlap at run time.
    private var lines: ContiguousArray<FieldLine> = []
    private var length = 0
    private var requestLine = RequestLine()
    private var statusLine = StatusLine()
    private var scanner = FieldScanner(start: 0)
    private var isInFields = false

    /// Makes a parser that waits for the first byte of a head.
    package init(_ kind: Kind, limits: HeadLimits = .init()) {
        self.kind = kind
        self.limits = limits
    }

    /// The field lines in order. Filled while the head is read; keeps its memory across `reset`.
    package var fields: ContiguousArray<FieldLine> { lines }
    /// Length of the whole head in bytes, blank line included; 0 until it is whole.
    package var headLength: Int { length }
    /// The method of a request.
    package var method: ByteRange { requestLine.method }
    /// The target of a request as written.
    package var target: ByteRange { requestLine.target }
    /// The second digit of the version; the first one is 1.
    package var minorVersion: UInt8 { kind == .request ? requestLine.minorVersion : statusLine.minorVersion }
    /// The code of a response, 100...999.
    package var status: Int { statusLine.status }
    /// The reason phrase of a response, often empty.
    package var reason: ByteRange { statusLine.reason }

    /// Makes the parser wait for the first byte of another head.
    package func reset() {
        var lines = lines
        self.lines = []
        lines.removeAll(keepingCapacity: true)
        self.lines = lines
        length = 0
        requestLine = RequestLine()
        statusLine = StatusLine()
        isInFields = false
    }

    /// Reads on. `bytes` is everything received since the head began, so it only ever grows until `reset`.
    ///
    /// Returns the length of the head with its blank line once it is whole, nil when more is needed.
    package func parse(_ bytes: UnsafeRawBufferPointer) throws(HeadError) -> Int? {
        if length > 0 { return length }
        guard let base = bytes.baseAddress else { return nil }
        let end = min(bytes.count, limits.head)
        if !isInFields {
            guard try readStartLine(base, end) else { return try waitForMore(end) }
            isInFields = true
        }
        guard try readFields(base, end) else { return try waitForMore(end) }
        return length
    }

    private func waitForMore(_ end: Int) throws(HeadError) -> Int? {
        if end == limits.head { throw .headTooLarge }
        return nil
    }

    private func readStartLine(_ base: UnsafeRawPointer, _ end: Int) throws(HeadError) -> Bool {
        switch kind {
        case .request:
            var line = requestLine
            let isWhole = try line.read(base, end, limit: limits.requestLine)
            requestLine = line
            if isWhole { scanner = FieldScanner(start: line.position) }
            return isWhole
        case .response:
            var line = statusLine
            let isWhole = try line.read(base, end)
            statusLine = line
            if isWhole { scanner = FieldScanner(start: line.position) }
            return isWhole
        }
    }

    private func readFields(_ base: UnsafeRawPointer, _ end: Int) throws(HeadError) -> Bool {
        var scanner = scanner
        var lines = lines
        self.lines = []
        defer {
            self.lines = lines
            self.scanner = scanner
        }
        while true {
            switch try scanner.next(base, end) {
            case .more: return false
            case .field(let line):
                if lines.count >= limits.fields { throw .tooManyFields }
                lines.append(line)
            case .end(let end):
                length = end
                return true
            }
        }
    }
}
