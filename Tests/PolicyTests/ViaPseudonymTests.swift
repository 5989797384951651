import Testing

@testable import Policy

@Suite("The pseudonym in Via")
struct ViaPseudonymTests {
    @Test(
        "It has a fixed length and is a token",
        arguments: [
            (0, "httpdns-proxy-00000000"), (1, "httpdns-proxy-00000001"), (0xdead_beef, "httpdns-proxy-deadbeef"),
            (.max, "httpdns-proxy-ffffffff"),
        ]
            as [(UInt32, String)])
    func isWritten(random: UInt32, expected: String) {
        #expect(ViaPseudonym(random: random).text == expected)
        #expect("\(ViaPseudonym(random: random))" == expected)
    }

    @Test("Two processes have different ones")
    func differs() {
        #expect(ViaPseudonym(random: 7) != ViaPseudonym(random: 8))
    }
}
