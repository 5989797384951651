import HTTP1
import ProxyServer

/// The two head limits that are settings, named as the settings are.
extension ProxyConfiguration {
    /// Bytes of a request line; longer ones are answered with 414.
    var maximumRequestLine: Int {
        get { limits.requestLine }
        set { limits.requestLine = newValue }
    }

    /// Bytes of a whole head; larger ones are answered with 431.
    var maximumHead: Int {
        get { limits.head }
        set { limits.head = newValue }
    }
}
