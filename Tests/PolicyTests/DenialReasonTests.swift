import Testing

@testable import Policy

@Suite("Reasons for a refusal")
struct DenialReasonTests {
    @Test("Every reason has its own label and its own sentence", arguments: DenialReason.allCases)
    func isTold(reason: DenialReason) {
        #expect(DenialReason.allCases.filter { $0.label == reason.label } == [reason])
        #expect(DenialReason.allCases.filter { $0.sentence == reason.sentence } == [reason])
        #expect(reason.label.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) })
        #expect(reason.sentence.hasPrefix("it is "))
    }
}
