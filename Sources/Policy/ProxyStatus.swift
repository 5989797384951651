/// A parameter of the Proxy-Status field beside `error` and `details`.
package enum ProxyStatusParameter: Equatable, Sendable {
    /// The DNS response code by its name, such as NXDOMAIN (RFC 9209 2.3.2).
    case rcode(String)
    /// The status code that the next hop sent (RFC 9209 2.1.4).
    case receivedStatus(Int)

    /// The parameter as it stands in the field, `key=value` in the syntax of structured fields (RFC 8941 3.1.2).
    package var text: String {
        switch self {
        case .rcode(let name): "rcode=" + ProxyStatus.quoted(PlainText.clean(name, limit: 40))
        case .receivedStatus(let status): "received-status=\(status)"
        }
    }
}

extension ProxyFailure {
    /// What the error type of this failure lets us say beyond itself.
    package var proxyStatusParameters: [ProxyStatusParameter] {
        switch self {
        case .dnsNoSuchName: [.rcode("NXDOMAIN")]
        case .dnsNoRecord: [.rcode("NOERROR")]
        case .dnsFailure(_, let rcode): [.rcode(rcode)]
        case .parentRefused(let status): [.receivedStatus(status)]
        default: []
        }
    }

    /// The whole value of the Proxy-Status field (RFC 9209 2), such as `httpdns-proxy; error=dns_error; rcode="NXDOMAIN"; details="..."`.
    package var proxyStatus: String {
        var value = "httpdns-proxy; error=" + proxyStatusError
        for parameter in proxyStatusParameters { value += "; " + parameter.text }
        return value + "; details=" + ProxyStatus.quoted(sentence)
    }
}

enum ProxyStatus {
    /// A string of structured fields (RFC 8941 3.3.3); `text` must be printable ASCII.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text {
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "\""
    }
}
