import EventLoop
import HTTP1
import Net
import Policy
import Upstream

extension ClientConnection {
    /// Serves CONNECT: a tunnel, or a failure.
    func serveConnect(_ request: RequestHead, headLength: Int) async -> Bool {
        guard let authority = request.authority, let port = authority.port else { return false }
        input.consume(headLength)
        let upstream: UpstreamConnection
        do throws(RouteFailure) {
            let route = try await findRoute(to: authority, port: port, https: false)
            upstream = try await dial(route, tunnels: true)
        } catch {
            guard case .failure(let failure) = error else {
                log()
                return false
            }
            return await refuse(request, failure)
        }
        // Neither Content-Length nor Transfer-Encoding: what follows is the tunnel (RFC 9110 section 9.3.6).
        output.open().append("HTTP/1.1 200 Connection established\r\n\r\n")
        record.status = 200
        await Tunnel(self, upstream.stream, fromOrigin: BufferedInput(upstream.stream, stock: worker.buffers)).run()
        return false
    }
}

extension ParentProxy {
    /// The credentials as an HTTP parent takes them with a request in absolute form (RFC 7617).
    var authorizationLine: String? {
        guard let credentials, takesAbsoluteForm else { return nil }
        return "Proxy-Authorization: Basic \(base64(Array("\(credentials.user):\(credentials.password)".utf8)))\r\n"
    }
}

/// Base64 with padding (RFC 4648 section 4).
private func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
        for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        for _ in group.count..<3 { text.append(UInt8(ascii: "=")) }
    }
    return String(decoding: text, as: UTF8.self)
}
