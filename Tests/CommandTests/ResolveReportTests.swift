import FoundationEssentials
import HTTPDNS
import Net
import ProxyServer
import Testing

@testable import httpdns_proxy

@Suite("What resolve prints")
struct ResolveReportTests {
    private func found(_ name: String, _ texts: [String], ttl: Duration, _ source: AnswerSource, elapsed: Duration) -> ResolvedName {
        let resolution = Resolution(
            addresses: texts.compactMap { IPAddress($0) }, source: source, fromCache: false, stale: false, ttl: ttl, elapsed: elapsed)
        return ResolvedName(name: name, result: .success(resolution))
    }

    private func failed(_ name: String, _ reason: ResolutionFailure) -> ResolvedName {
        ResolvedName(name: name, result: .failure(reason))
    }

    private var mixed: ResolveReport {
        ResolveReport(results: [
            found("www.example.com", ["2001:db8::1", "192.0.2.1"], ttl: .milliseconds(59_900), .httpdns, elapsed: .microseconds(3240)),
            failed("gone.test", .noSuchName),
            found("db", ["10.0.0.7"], ttl: .seconds(5), .hosts, elapsed: .zero),
        ])
    }

    private struct Row: Decodable, Equatable {
        let name: String
        let addresses: [String]
        let ttl: Int?
        let source: String?
        let milliseconds: Double?
        let error: String?

        enum CodingKeys: String, CodingKey {
            case name, addresses, ttl, source, error
            case milliseconds = "time_ms"
        }
    }

    private func rows(_ report: ResolveReport) throws -> [Row] {
        try JSONDecoder().decode([Row].self, from: Data(report.json.utf8))
    }

    @Test("a table with one line for each address, in columns")
    func table() {
        #expect(
            mixed.table == """
                name             address      ttl  source   time
                www.example.com  2001:db8::1  59   httpdns  3.2ms
                www.example.com  192.0.2.1    59   httpdns  3.2ms
                db               10.0.0.7     5    hosts    0.0ms

                """)
    }

    @Test("without any address there is no table, only reasons")
    func nothing() {
        let report = ResolveReport(results: [failed("a.test", .timedOut), failed("b.test", .serverFailure(rcode: "SERVFAIL"))])
        #expect(report.table == "")
        #expect(
            report.failureLines == "httpdns-proxy: a.test: \(ResolutionFailure.timedOut.sentence)\n"
                + "httpdns-proxy: b.test: \(ResolutionFailure.serverFailure(rcode: "SERVFAIL").sentence)\n")
        #expect(report.failureLines.contains("SERVFAIL"))
    }

    @Test("status 0 only when every name resolved")
    func status() {
        #expect(mixed.exitStatus == 1)
        #expect(ResolveReport(results: [mixed.results[0], mixed.results[2]]).exitStatus == 0)
        #expect(ResolveReport(results: [failed("a.test", .noRecord)]).exitStatus == 1)
    }

    @Test("JSON holds every name in order, with null for what is not there")
    func json() throws {
        #expect(
            try rows(mixed) == [
                Row(
                    name: "www.example.com", addresses: ["2001:db8::1", "192.0.2.1"], ttl: 59, source: "httpdns", milliseconds: 3.2,
                    error: nil),
                Row(
                    name: "gone.test", addresses: [], ttl: nil, source: nil, milliseconds: nil, error: ResolutionFailure.noSuchName.sentence
                ),
                Row(name: "db", addresses: ["10.0.0.7"], ttl: 5, source: "hosts", milliseconds: 0, error: nil),
            ])
        #expect(mixed.json.contains("{\"name\":\"gone.test\",\"addresses\":[],\"ttl\":null,\"source\":null,\"time_ms\":null,\"error\":\""))
        #expect(mixed.json.hasSuffix("}]\n"))
    }

    @Test("JSON survives any text in a reason", arguments: ["say \"no\"", "back\\slash", "line\nend", "tab\t\u{1}", "naïve"])
    func jsonEscapes(reason: String) throws {
        let report = ResolveReport(results: [failed("a.test", .unreachable(reason: reason))])
        #expect(try rows(report).first?.error == ResolutionFailure.unreachable(reason: reason).sentence)
    }
}
