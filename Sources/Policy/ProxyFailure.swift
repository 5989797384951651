package import HTTP1
package import Net

/// Every failure a client or an operator can meet. What each one is answered with stands in `FailureTable`, what it says in
/// `FailureSentence`.
///
/// Text payloads may come from libraries or from other hosts: they are cut and cleaned before they reach a response.
package enum ProxyFailure: Error, Equatable, Sendable {
    /// The request head was refused.
    case badRequest(HeadError)
    /// The request body breaks its framing; the text says how.
    case badRequestBody(String)
    /// The target has no authority: somebody speaks to the proxy as if it were the origin.
    case originForm
    /// The client did not send the rest of its request in time.
    case clientTimeout
    /// The client's address may not use the proxy.
    case clientDenied(IPAddress)
    /// Policy refuses the destination, written as the client or the resolver named it.
    case destinationDenied(DenialReason, destination: String)
    /// The request has been through this process before.
    case loop

    /// The name does not exist (NXDOMAIN).
    case dnsNoSuchName(String)
    /// The name exists but has no address of a usable family.
    case dnsNoRecord(String)
    /// No resolver answered in time.
    case dnsTimeout(String)
    /// A resolver answered with an error code such as SERVFAIL.
    case dnsFailure(String, rcode: String)
    /// No resolver could be reached.
    case dnsUnreachable(String, reason: String)

    /// Every address refused the connection.
    case connectRefused(destination: String)
    /// No address accepted the connection in time.
    case connectTimeout(destination: String)
    /// There is no route to any address.
    case connectUnroutable(destination: String)
    /// The destination closed the connection before it answered.
    case connectionTerminated(destination: String)
    /// The certificate is not valid for the name, expired, or issued by an unknown authority.
    case tlsCertificate(destination: String, reason: String)
    /// The TLS handshake failed for another reason.
    case tlsProtocol(destination: String, reason: String)
    /// The destination ended the TLS handshake with an alert.
    case tlsAlert(destination: String, reason: String)

    /// No response byte came in time.
    case responseTimeout(destination: String)
    /// The response ended inside its head or body.
    case responseIncomplete(destination: String)
    /// The response head is not valid HTTP/1.
    case responseMalformed(HeadError, destination: String)
    /// The response head is larger than the proxy takes.
    case responseHeadTooLarge(destination: String)
    /// The chunked coding of the response is broken; the text says how.
    case responseBodyMalformed(String, destination: String)
    /// The destination switched protocols without being asked, or to another one.
    case upgradeFailed(destination: String)

    /// The parent proxy answered CONNECT with this status.
    case parentRefused(status: Int)
    /// The parent proxy could not be reached or did not speak its protocol.
    case parentUnreachable(reason: String)

    /// The proxy is out of descriptors, memory or ports.
    case resourceExhausted(String)
    /// The proxy is about to exit and takes no new requests.
    case shuttingDown
    /// Something that must not happen did.
    case internalError(String)
}

/// Whose doing a failure is, for logs and for the person who has to act.
package enum FaultSide: String, Sendable, CaseIterable {
    case client
    case proxy
    case origin
    case resolver
    case parent
}
