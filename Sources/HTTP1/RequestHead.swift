package import Net

/// What a whole, valid request head asks. Ranges refer to the head's bytes; nothing is copied but the authority.
package struct RequestHead: Sendable {
    /// The form of the request target (RFC 9112 section 3.2).
    package enum Target: Sendable, Equatable {
        /// A whole http or https URL: the form a proxy is asked in.
        case absolute(https: Bool)
        /// `host:port`, with CONNECT only.
        case authority
        /// `*`, with OPTIONS only.
        case asterisk
        /// A path: the request is meant for the server that got it.
        case origin
    }

    package let method: Method
    /// The method as written.
    package let methodRange: ByteRange
    /// The form of the target.
    package let target: Target
    /// The target as written.
    package let targetRange: ByteRange
    /// Where the request goes, with the port as written; nil for the origin and asterisk forms.
    package let authority: Authority?
    /// `host[:port]` of the target as written; empty when there is none.
    package let authorityRange: ByteRange
    /// Path and query as written; may be empty or begin with "?".
    package let pathRange: ByteRange
    /// The second digit of the version; 1 and above mean HTTP/1.1.
    package let minorVersion: UInt8
    /// How the body ends; never `untilClose`.
    package let framing: BodyFraming
    /// True when the client wants further requests on this connection: HTTP/1.1 without `close`. A proxy does not keep the
    /// connection of an HTTP/1.0 client (RFC 9112 section 9.3).
    package let keepAlive: Bool
    /// True when the client waits for a 100 before it sends its body.
    package let expectsContinue: Bool
    /// True when the client offers another protocol that may be offered on: Upgrade named by Connection, HTTP/1.1, no body, not h2c.
    package let upgrade: Bool
    /// The protocols that the client offers; none unless `upgrade` is set.
    package let offeredProtocols: UpgradeProtocols
    /// True when the client can take trailer fields.
    package let acceptsTrailers: Bool
    /// Hops left, for OPTIONS and TRACE only (RFC 9110 section 7.6.2); numbers that do not fit are the largest that does.
    package let maxForwards: UInt32?
    /// The credentials meant for this proxy.
    package let proxyAuthorization: ByteRange?

    /// Index of the Host line, -1 when there is none.
    let hostIndex: Int
    /// Index of the last Via line, -1 when there is none.
    let lastViaIndex: Int
    let connectionOptions: ConnectionOptions

    /// Reads what `parser`, which must hold a whole request head, found in `bytes`, and checks all that RFC 9112 sections 3 and 6 ask.
    package init(_ parser: HeadParser, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        let method = Method(parser.method.slice(bytes))
        let parsed = try RequestTarget(parser.target, method, bytes)
        let summary = try HeadSummary(parser.fields, bytes)
        let isModern = parser.minorVersion >= 1
        let framing = try RequestHead.framing(summary, method, isModern)
        try RequestHead.checkHost(parser, bytes, parsed, summary, method)

        self.method = method
        methodRange = parser.method
        target = parsed.form
        targetRange = parser.target
        authority = parsed.authority
        authorityRange = parsed.authorityRange
        pathRange = parsed.pathRange
        minorVersion = parser.minorVersion
        self.framing = framing
        keepAlive = isModern && !summary.closes
        let hasBody = framing != .none && framing != .length(0)
        // HTTP/1.0 knows no expectations (RFC 9110 section 10.1.1).
        if isModern && !summary.expectsOnlyContinue { throw .expectationFailed }
        expectsContinue = isModern && summary.hasExpect && hasBody
        let mayUpgrade = isModern && !hasBody && method != .connect
        upgrade = mayUpgrade && summary.hasUpgrade && summary.namesUpgrade && !summary.offersH2C
        offeredProtocols = upgrade ? UpgradeProtocols(summary.protocols, bytes) : .none
        acceptsTrailers = isModern && summary.acceptsTrailers
        maxForwards = try RequestHead.maxForwards(summary, method, bytes)
        if summary.proxyAuthorizationCount > 1 { throw .duplicateProxyAuthorization }
        proxyAuthorization = summary.proxyAuthorization
        hostIndex = summary.host
        lastViaIndex = summary.lastVia
        connectionOptions = summary.options
    }

    private static func framing(_ summary: HeadSummary, _ method: Method, _ isModern: Bool) throws(HeadError) -> BodyFraming {
        var framing = BodyFraming.none
        if summary.codings.isPresent {
            guard isModern else { throw .transferEncodingIn10 }
            if summary.lengths.count > 0 { throw .lengthAndTransferEncoding }
            try summary.codings.check()
            framing = .chunked
        } else if let length = summary.lengths.value {
            // Even equal lengths are refused when repeated: the next reader may pick another one.
            guard summary.lengths.count == 1 else { throw .conflictingContentLength }
            framing = .length(length)
        }
        guard method == .connect || method == .trace else { return framing }
        guard framing == .none || framing == .length(0) else { throw .bodyNotAllowed }
        return .none
    }

    private static func maxForwards(
        _ summary: HeadSummary, _ method: Method, _ bytes: UnsafeRawBufferPointer
    ) throws(HeadError) -> UInt32? {
        guard method == .options || method == .trace, let field = summary.maxForwards else { return nil }
        let digits = field.slice(bytes)
        guard summary.maxForwardsCount == 1, digits.count > 0 else { throw .badMaxForwards }
        var value: UInt64 = 0
        for byte in digits {
            guard byte >= 0x30 && byte <= 0x39 else { throw .badMaxForwards }
            value = min(value * 10 + UInt64(byte - 0x30), UInt64(UInt32.max))
        }
        return UInt32(value)
    }

    /// RFC 9112 section 3.2. A Host that is not the target's is fine: it never decides anything and is replaced.
    private static func checkHost(
        _ parser: HeadParser, _ bytes: UnsafeRawBufferPointer, _ target: RequestTarget, _ summary: HeadSummary, _ method: Method
    ) throws(HeadError) {
        if summary.hostCount > 1 { throw .duplicateHost }
        guard summary.hostCount == 1 else {
            if parser.minorVersion >= 1 { throw .missingHost }
            return
        }
        let written = parser.fields[summary.host].value.slice(bytes)
        if written.isEmpty {
            if parser.minorVersion >= 1 && method != .connect { throw .badHost(.empty) }
            return
        }
        // What was already found valid as the target's authority need not be read again.
        if target.authority != nil, Bytes.same(written, target.authorityRange.slice(bytes)) { return }
        if let fault = HeadError.ofHost(written) { throw fault }
    }
}
