package import HTTP1

/// The response to a failed request.
package enum ErrorResponse {
    /// Appends the complete response for `failure`: head and, unless `head` is set, a body of one line.
    ///
    /// - Parameters:
    ///   - head: the request was HEAD, so the body is left out and its length still told (RFC 9110 9.3.2).
    ///   - close: the connection ends after this response.
    ///   - date: the current time as an IMF-fixdate of 29 bytes (RFC 9110 5.6.7).
    package static func append(_ failure: ProxyFailure, head: Bool, close: Bool, date: String, to buffer: ByteBuffer) {
        let body = failure.sentence + "\n"
        buffer.append("HTTP/1.1 ")
        buffer.append(decimal: UInt64(failure.status))
        buffer.append(byte: UInt8(ascii: " "))
        buffer.append(ReasonPhrase.text(failure.status))
        buffer.append("\r\nDate: ")
        buffer.append(date)
        buffer.append("\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: ")
        buffer.append(decimal: UInt64(body.utf8.count))
        buffer.append("\r\nProxy-Status: ")
        buffer.append(failure.proxyStatus)
        buffer.append(close ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
        if !head { buffer.append(body) }
    }
}

/// Reason phrases for the status codes this proxy makes itself.
package enum ReasonPhrase {
    /// The phrase of RFC 9110 15 (RFC 6585 5 for 431); "Error" for a code that is never made here.
    package static func text(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 408: "Request Timeout"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }
}
