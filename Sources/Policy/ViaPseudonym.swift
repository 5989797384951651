/// The name this process puts into Via (RFC 9110 7.6.3) and looks for there to notice that a request came back.
///
/// It is different in every process: two of these proxies in a row are a chain, not a loop.
package struct ViaPseudonym: Hashable, Sendable, CustomStringConvertible {
    /// `httpdns-proxy-` and eight hexadecimal digits.
    package let text: String

    /// The pseudonym drawn by `random`, which the caller takes from a source of randomness once at start.
    package init(random: UInt32) {
        let digits = String(random, radix: 16)
        text = "httpdns-proxy-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The same as `text`.
    package var description: String { text }
}
