import HTTP1
import Testing

@testable import Policy

private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

/// The response as a client would take it apart.
private struct ReceivedResponse {
    let statusLine: String
    let fields: [String]
    let body: String

    init?(_ failure: ProxyFailure, head: Bool = false, close: Bool = false) {
        let buffer = ByteBuffer(capacity: 0)
        ErrorResponse.append(failure, head: head, close: close, date: date, to: buffer)
        let text = String(decoding: buffer.readable, as: UTF8.self)
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        guard let blank = lines.firstIndex(of: ""), blank > 0 else { return nil }
        body = lines[(blank + 1)...].joined(separator: "\r\n")
        statusLine = lines.removeFirst()
        fields = Array(lines[..<(blank - 1)])
    }

    func values(_ name: String) -> [String] {
        fields.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.utf8.count + 2)) }
    }
}

@Suite("Error responses")
struct ErrorResponseTests {
    @Test("Each failure becomes one whole response that reads back as it was meant", arguments: FailureSamples.all)
    func readsBack(row: FailureSamples.Row) throws {
        let response = try #require(ReceivedResponse(row.failure))
        #expect(response.statusLine == "HTTP/1.1 \(row.status) \(ReasonPhrase.text(row.status))")
        #expect(response.values("Date") == [date])
        #expect(response.values("Content-Type") == ["text/plain; charset=utf-8"])
        #expect(response.values("Cache-Control") == ["no-store"])
        #expect(response.values("Content-Length") == ["\(response.body.utf8.count)"])
        #expect(response.values("Proxy-Status") == [row.failure.proxyStatus])
        #expect(response.values("Connection").isEmpty)
        #expect(response.fields.count == 5)
        #expect(response.body == row.failure.sentence + "\n")
    }

    @Test("The response to HEAD tells the length and has no body", arguments: FailureSamples.all)
    func leavesOutBody(row: FailureSamples.Row) throws {
        let whole = try #require(ReceivedResponse(row.failure))
        let head = try #require(ReceivedResponse(row.failure, head: true))
        #expect(head.body.isEmpty)
        #expect(head.fields == whole.fields)
        #expect(head.statusLine == whole.statusLine)
    }

    @Test("A closing connection is announced")
    func announcesClose() throws {
        for head in [false, true] {
            let response = try #require(ReceivedResponse(.clientTimeout, head: head, close: true))
            #expect(response.values("Connection") == ["close"])
        }
    }

    @Test("It stands behind what the buffer already holds")
    func appends() {
        let buffer = ByteBuffer(capacity: 16)
        buffer.append("before")
        ErrorResponse.append(.loop, head: true, close: true, date: date, to: buffer)
        #expect(String(decoding: buffer.readable, as: UTF8.self).hasPrefix("beforeHTTP/1.1 502 Bad Gateway\r\n"))
    }

    @Test(
        "Text from outside cannot break out of its line or its quotes",
        arguments: ["a\r\nSet-Cookie: x=1\r\n\r\n", "\"; x=\"", "\\", "\0\u{7f}", "b\u{fc}cher", "\u{2028}", "<b>"])
    func containsForeignText(text: String) throws {
        let failures: [ProxyFailure] = [
            .badRequestBody(text), .dnsNoSuchName(text), .dnsFailure(text, rcode: text), .dnsUnreachable(text, reason: text),
            .connectRefused(destination: text), .tlsCertificate(destination: text, reason: text),
            .responseBodyMalformed(text, destination: text),
            .destinationDenied(.loopback, destination: text), .parentUnreachable(reason: text), .internalError(text),
            .resourceExhausted(text),
        ]
        for failure in failures {
            let response = try #require(ReceivedResponse(failure))
            #expect(response.fields.count == 5)
            #expect(response.values("Set-Cookie").isEmpty)
            #expect(response.body.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
            #expect(response.fields.joined().utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
            #expect(StructuredItem(failure.proxyStatus)?.parameters.last?.value == failure.sentence)
        }
    }

    @Test("Long text from outside is cut, so that no response grows without bound")
    func cutsLongText() throws {
        let long = String(repeating: "x", count: 100_000)
        for failure in [ProxyFailure.tlsProtocol(destination: long, reason: long), .dnsFailure(long, rcode: long), .internalError(long)] {
            let response = try #require(ReceivedResponse(failure))
            #expect(response.body.utf8.count <= 601)
            #expect(response.fields.joined().utf8.count < 2_000)
        }
    }
}
