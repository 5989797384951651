/// The request methods whose meaning a proxy has to know (RFC 9110 section 9, RFC 5789).
package enum Method: UInt8, Sendable, Hashable {
    case get, head, post, put, delete, connect, options, trace, patch, other

    /// True when sending the request twice has the effect of sending it once (RFC 9110 section 9.2.2). False for `.other`,
    /// of which nothing is known.
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .connect, .patch, .other: false
        }
    }
}
