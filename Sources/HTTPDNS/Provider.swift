/// A service's way to ask and to answer. Pure: it makes requests and reads answers, and never sends or waits.
package protocol Provider: Sendable {
    /// The name for logs, such as "alibaba-public-dns".
    var name: String { get }
    /// Where it can be asked, in the order of preference.
    var endpoints: [ProviderEndpoint] { get }
    /// The request that asks `question` at `endpoint`; `epochSeconds` is the time since 1970 for signatures, by the service's clock.
    func request(_ question: Question, endpoint: ProviderEndpoint, epochSeconds: Int64) -> ProviderRequest
    /// What a response to `question` says; `status` is the HTTP status and `body` the whole decoded body.
    func answer(_ question: Question, status: Int, body: [UInt8]) throws(ProviderFailure) -> ProviderAnswer
}

/// A GET request to a service. Its text leaves the query out, which may hold a signature.
package struct ProviderRequest: Sendable, Equatable, CustomStringConvertible {
    /// The whole URL, percent-encoded.
    package let url: String
    /// Further header lines, "Name: value".
    package let headers: [String]

    /// A request from its parts.
    package init(url: String, headers: [String]) {
        self.url = url
        self.headers = headers
    }

    /// The URL up to its query.
    package var description: String { String(url.prefix { $0 != "?" }) }
}

/// What a service said about a question.
package struct ProviderAnswer: Sendable, Equatable {
    /// Addresses or one of the two negative outcomes.
    package let outcome: Answer.Outcome
    /// How long the service wants it kept, in seconds, 0 or more; nil when it did not say.
    package let ttl: Int64?

    /// An answer from its parts.
    package init(outcome: Answer.Outcome, ttl: Int64?) {
        self.outcome = outcome
        self.ttl = ttl
    }
}

/// Why a response is not an answer.
package enum ProviderFailure: Error, Sendable, Equatable {
    /// 401 or 403: account, key, signature or its time were not accepted.
    case noPermission
    /// 400: the service does not take this question.
    case badParameter
    /// 404: nothing is served at this path.
    case badPath
    /// 429: too many queries.
    case throttled
    /// Any other status than 200; it is carried along.
    case serverTrouble(Int)
    /// Status 200 with a body that is no usable answer; the reason is one line for a log.
    case unreadable(String)
    /// A DNS error code for this name, such as 2 (SERVFAIL) or 5 (REFUSED); the endpoint itself is well.
    case serverFailure(rcode: Int)

    /// The failure that an HTTP status means; nil for 200.
    init?(status: Int) {
        switch status {
        case 200: return nil
        case 400: self = .badParameter
        case 401, 403: self = .noPermission
        case 404: self = .badPath
        case 429: self = .throttled
        default: self = .serverTrouble(status)
        }
    }

    /// The statistics counter that counts it.
    package var reportField: ReportField {
        switch self {
        case .noPermission: .noPermission
        case .badParameter: .urlParameter
        case .badPath: .urlPath
        case .throttled, .serverTrouble, .unreadable, .serverFailure: .noResponse
        }
    }

    /// The failure in one line of plain ASCII.
    package var sentence: String {
        switch self {
        case .noPermission: "the credentials were refused"
        case .badParameter: "a parameter was refused"
        case .badPath: "the path does not exist"
        case .throttled: "too many queries"
        case .serverTrouble(let status): "HTTP status \(status)"
        case .unreadable(let reason): "unreadable answer: \(reason)"
        case .serverFailure(let rcode): "DNS status \(rcodeName(rcode))"
        }
    }
}

/// The error counters of the vendor's statistics record, by their names there (Alibaba Cloud Public DNS, SDK for iOS developer guide).
package enum ReportField: String, Sendable, CaseIterable {
    /// Authentication failed.
    case noPermission = "noPermissionErro"
    /// A request parameter was invalid.
    case urlParameter = "urlParameterErro"
    /// The path was invalid.
    case urlPath = "urlPathErro"
    /// Nothing came in time.
    case timeout = "timeoutErro"
    /// No response, or none that could be used.
    case noResponse = "noResponseErro"
}

/// The mnemonic of a DNS response code (RFC 1035 4.1.1, RFC 2136 2.2); "RCODE" and the number for those without a common one.
package func rcodeName(_ code: Int) -> String {
    switch code {
    case 0: "NOERROR"
    case 1: "FORMERR"
    case 2: "SERVFAIL"
    case 3: "NXDOMAIN"
    case 4: "NOTIMP"
    case 5: "REFUSED"
    case 6: "YXDOMAIN"
    case 7: "YXRRSET"
    case 8: "NXRRSET"
    case 9: "NOTAUTH"
    case 10: "NOTZONE"
    default: "RCODE\(code)"
    }
}
