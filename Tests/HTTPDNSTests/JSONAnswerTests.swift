import HTTPDNS
import Net
import Testing

/// What is made of a response's status and body.
@Suite struct JSONAnswerTests {
    private static let www = Question(name: "www.example.com", type: .a)
    private static let www6 = Question(name: "www.example.com", type: .aaaa)

    private func read(_ body: String, _ question: Question = www, status: Int = 200) throws -> ProviderAnswer {
        try AlibabaPublicDNS(hostHasIPv6: false).answer(question, status: status, body: Array(body.utf8))
    }

    private func addresses(_ texts: String...) -> Answer.Outcome { .addresses(texts.compactMap { IPAddress($0) }) }

    private func record(_ owner: String, _ type: Int, _ data: String, ttl: Int? = 60) -> String {
        let lifetime = ttl.map { #""TTL":\#($0),"# } ?? ""
        return #"{"name":"\#(owner)",\#(lifetime)"type":\#(type),"data":"\#(data)"}"#
    }

    private func message(_ records: String..., question: Question = www) -> String {
        ServiceBodies.message(question, status: 0, #""Answer":[\#(records.joined(separator: ","))]"#)
    }

    @Test func followsTheCNAMEAndTakesTheSmallestTTL() throws {
        let body = """
            {"Status":0,"TC":false,"RD":true,"RA":true,"AD":false,"CD":false,
             "Question":{"name":"www.example.com.","type":1},
             "Answer":[
              {"name":"www.example.com.","TTL":120,"type":5,"data":"edge.example.net."},
              {"name":"edge.example.net.","TTL":60,"type":1,"data":"192.0.2.10"},
              {"name":"edge.example.net.","TTL":60,"type":1,"data":"192.0.2.11"}]}
            """
        #expect(try read(body) == ProviderAnswer(outcome: addresses("192.0.2.10", "192.0.2.11"), ttl: 60))
    }

    @Test func theCNAMEsTTLCountsToo() throws {
        let body = message(record("www.example.com.", 5, "e.example.", ttl: 10), record("e.example.", 1, "192.0.2.1", ttl: 300))
        #expect(try read(body).ttl == 10)
        let several = message(record("www.example.com", 1, "192.0.2.1", ttl: 300), record("www.example.com", 1, "192.0.2.2", ttl: 7))
        #expect(try read(several).ttl == 7)
    }

    @Test func orderOfRecordsDoesNotMatter() throws {
        let body = message(
            record("b.example.", 1, "192.0.2.1"), record("a.example.", 5, "b.example."), record("www.example.com.", 5, "a.example."))
        #expect(try read(body).outcome == addresses("192.0.2.1"))
    }

    @Test func readsIPv6() throws {
        let body = message(record("www.example.com.", 28, "2001:DB8::10"), question: Self.www6)
        #expect(try read(body, Self.www6) == ProviderAnswer(outcome: addresses("2001:db8::10"), ttl: 60))
    }

    @Test(arguments: ["WWW.Example.COM.", "www.example.com", "www.example.com."])
    func ownersAreComparedWithoutCaseAndDot(owner: String) throws {
        #expect(try read(message(record(owner, 1, "192.0.2.1"))).outcome == addresses("192.0.2.1"))
    }

    @Test func otherGoodRecordsAreLeftAside() throws {
        let body = message(
            record("www.example.com.", 16, "\\\"v=spf1\\\""), record("www.example.com.", 28, "2001:db8::1"),
            record("www.example.com.", 1, "192.0.2.1"),
            record("www.example.com.", 1, "192.0.2.1"))
        #expect(try read(body).outcome == addresses("192.0.2.1"))
    }

    @Test(arguments: [
        "other.example.", "evil.www.example.com.", "example.com.", "www.example.com.evil.example.", ".", "", "www.example.com..",
    ])
    func aForeignOwnerIsNoAnswer(owner: String) throws {
        #expect(try read(message(record(owner, 1, "127.0.0.9"))).outcome == .noRecord)
        let mixed = message(record(owner, 1, "127.0.0.9"), record("www.example.com.", 1, "192.0.2.1"))
        #expect(try read(mixed).outcome == addresses("192.0.2.1"))
    }

    @Test func aLookalikeOwnerIsForeign() throws {
        let question = Question(name: "kiwi.example", type: .a)
        let body = ServiceBodies.message(question, status: 0, #""Answer":[\#(record("\u{212A}iwi.example.", 1, "127.0.0.9"))]"#)
        #expect(try read(body, question).outcome == .noRecord)
    }

    @Test func aCNAMEOfAnotherNameLeadsNowhere() throws {
        let body = message(record("other.example.", 5, "evil.example."), record("evil.example.", 1, "127.0.0.9"))
        #expect(try read(body).outcome == .noRecord)
    }

    @Test func anAddressOfAnotherTypeIsNoRecord() throws {
        #expect(try read(message(record("www.example.com.", 28, "2001:db8::1"))).outcome == .noRecord)
        #expect(try read(message(record("www.example.com.", 5, "edge.example."))).outcome == .noRecord)
    }

    @Test(arguments: [#""Answer":[]"#, #""Answer":null"#, nil])
    func bothFormsOfNoRecordAreRead(sections: String?) throws {
        #expect(try read(ServiceBodies.message(Self.www, status: 0, sections)) == ProviderAnswer(outcome: .noRecord, ttl: nil))
    }

    @Test(arguments: [(45, 45, 45), (45, 600, 45), (600, 45, 45), (0, 45, 0), (86400, 86400, 86400), (-1, 45, 0)])
    func negativeLifeIsTheSmallerOfTTLAndMinimum(ttl: Int, minimum: Int, expected: Int64) throws {
        for status in [0, 3] {
            let body = ServiceBodies.message(Self.www, status: status, ServiceBodies.soa(ttl: ttl, minimum: minimum))
            #expect(try read(body) == ProviderAnswer(outcome: status == 3 ? .noSuchName : .noRecord, ttl: expected))
        }
    }

    @Test func negativeLifeWithoutSOAIsUnknown() throws {
        let other = #""Authority":[{"name":"example.","TTL":5,"type":2,"data":"ns1.example."}]"#
        #expect(try read(ServiceBodies.message(Self.www, status: 3, other)) == ProviderAnswer(outcome: .noSuchName, ttl: nil))
        let short = #""Authority":[{"name":"example.","TTL":50,"type":6,"data":"ns1.example."}]"#
        #expect(try read(ServiceBodies.message(Self.www, status: 3, short)).ttl == 50)
    }

    @Test func aMissingTTLIsUnknownAndZeroIsZero() throws {
        #expect(try read(message(record("www.example.com.", 1, "192.0.2.1", ttl: nil))).ttl == nil)
        #expect(try read(message(record("www.example.com.", 1, "192.0.2.1", ttl: 0))).ttl == 0)
        #expect(try read(message(record("www.example.com.", 1, "192.0.2.1", ttl: -5))).ttl == 0)
        #expect(try read(message(record("www.example.com.", 1, "192.0.2.1", ttl: 9_000_000_000))).ttl == 9_000_000_000)
    }

    @Test func numbersMayComeAsText() throws {
        let body =
            #"{"Status":"0","TC":"false","Question":[{"name":"www.example.com","type":"1"}],"#
            + #""Answer":[{"name":"www.example.com","TTL":"30","type":"1","data":"192.0.2.1"}]}"#
        #expect(try read(body) == ProviderAnswer(outcome: addresses("192.0.2.1"), ttl: 30))
    }

    @Test(arguments: [
        #"{"Status":0,"Question":[{"name":"other.example.","type":1}],"Answer":[]}"#,
        #"{"Status":0,"Question":{"name":"www.example.com.","type":28},"Answer":[]}"#,
        #"{"Status":3,"Question":{"name":"other.example.","type":1}}"#,
    ])
    func anAnswerToAnotherQuestionIsUnreadable(body: String) { expectUnreadable(body) }

    @Test(arguments: [
        "", "<html>not json</html>", "null", "[]", "{}", #"["192.0.2.10"]"#, #"{"code":"AuthFailed"}"#, #"{"Status":"x"}"#,
        #"{"Status":1.5}"#,
        #"{"Status":0,"Answer":{}}"#, #"{"Status":0,"Answer":[{"name":"www.example.com.","data":"192.0.2.1"}]}"#,
        #"{"Status":0,"TC":true,"Answer":[]}"#, #"{"Status":0,"TC":1,"Answer":[]}"#, #"{"Status":0,"TC":"true","Answer":[]}"#,
        #"{"Status":0,"Answer":[{"name":"www.example.com.","TTL":"soon","type":1,"data":"192.0.2.1"}]}"#, #"{"Status":0,"Answer":["#,
    ])
    func junkIsUnreadable(body: String) { expectUnreadable(body) }

    @Test(arguments: [
        "", "192.0.2", "192.0.2.256", "192.0.2.01", " 192.0.2.1", "192.0.2.1 ", "0xc0000201", "2001:db8::1", "::ffff:192.0.2.1",
        "example.com",
        "192.0.2.1:80",
    ])
    func aMalformedIPv4AddressIsUnreadable(data: String) {
        expectUnreadable(message(record("www.example.com.", 1, data)))
        expectUnreadable(message(record("www.example.com.", 1, "192.0.2.1"), record("www.example.com.", 1, data)))
    }

    @Test(arguments: ["192.0.2.1", "[2001:db8::1]", "2001:db8::1%3", "2001:db8:::1", "2001:db8::1/64"])
    func aMalformedIPv6AddressIsUnreadable(data: String) {
        expectUnreadable(message(record("www.example.com.", 28, data), question: Self.www6), Self.www6)
    }

    @Test func loopsAndEndlessChainsAreRefused() {
        expectUnreadable(message(record("www.example.com.", 5, "www.example.com.")))
        expectUnreadable(message(record("www.example.com.", 5, "a.example."), record("a.example.", 5, "WWW.example.com.")))
        let chain = (0..<900).map { record($0 == 0 ? "www.example.com." : "n\($0).example.", 5, "n\($0 + 1).example.") }
        expectUnreadable(ServiceBodies.message(Self.www, status: 0, #""Answer":[\#(chain.joined(separator: ","))]"#))
    }

    @Test func deepNestingIsNoTrap() {
        expectUnreadable(String(repeating: "[", count: 60_000))
        expectUnreadable(#"{"Status":0,"Question":"# + String(repeating: #"{"name":"#, count: 8000))
    }

    @Test(arguments: [(1, "FORMERR"), (2, "SERVFAIL"), (4, "NOTIMP"), (5, "REFUSED"), (99, "RCODE99")])
    func otherDNSStatusesConcernTheName(status: Int, name: String) {
        #expect(throws: ProviderFailure.serverFailure(rcode: status)) { try read(ServiceBodies.status(Self.www, status)) }
        #expect(rcodeName(status) == name)
    }

    @Test(arguments: [
        (401, ProviderFailure.noPermission, "noPermissionErro"), (403, .noPermission, "noPermissionErro"),
        (400, .badParameter, "urlParameterErro"), (404, .badPath, "urlPathErro"), (429, .throttled, "noResponseErro"),
        (500, .serverTrouble(500), "noResponseErro"), (502, .serverTrouble(502), "noResponseErro"),
        (302, .serverTrouble(302), "noResponseErro"),
        (204, .serverTrouble(204), "noResponseErro"),
    ])
    func httpFailuresAreToldApart(status: Int, failure: ProviderFailure, counter: String) {
        let body = ServiceBodies.addresses(Self.www, ["192.0.2.1"])
        #expect(throws: failure) { try read(body, status: status) }
        #expect(failure.reportField.rawValue == counter)
        #expect(!failure.sentence.isEmpty)
    }

    private func expectUnreadable(_ body: String, _ question: Question = www) {
        let error = #expect(throws: ProviderFailure.self) { try read(body, question) }
        guard case .unreadable(let reason)? = error else {
            Issue.record("\(String(describing: error)) for \(body.prefix(200))")
            return
        }
        #expect(!reason.isEmpty)
    }
}
