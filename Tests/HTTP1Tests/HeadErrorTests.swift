import HTTP1
import Net
import Testing

/// What a refusal says to the client and to the log.
struct HeadErrorTests {
    static let all: [HeadError] = [
        .malformedRequestLine, .badMethod, .badTarget, .badVersion, .badStatusLine, .badFieldName, .missingColon, .spaceBeforeColon,
        .controlInValue, .bareCR, .bareLF, .obsFold, .leadingSpace, .missingHost, .duplicateHost, .missingPort, .schemeUnsupported,
        .methodTargetMismatch, .fragmentInTarget, .badContentLength, .conflictingContentLength, .lengthAndTransferEncoding,
        .badTransferEncoding, .transferEncodingIn10, .bodyNotAllowed, .badMaxForwards, .duplicateProxyAuthorization,
        .tooManyConnectionOptions, .requestLineTooLong, .headTooLarge, .tooManyFields, .versionNotSupported, .transferCodingNotImplemented,
        .expectationFailed,
    ]

    @Test func everyFaultHasASentenceOfItsOwn() {
        let faults = Self.all + AuthorityError.allCases.map(HeadError.badHost) + AuthorityError.allCases.map(HeadError.badAuthority)
        let sentences = faults.map { $0.sentence }
        #expect(Set(sentences).count == faults.count)
        for sentence in sentences {
            #expect(!sentence.contains("\n"))
            #expect(sentence.first?.isLowercase == true, "\(sentence)")
            #expect(sentence != "the message head is not valid")
        }
    }

    @Test func statusesFollowTheFault() {
        let special: [HeadError: Int] = [
            .requestLineTooLong: 414, .expectationFailed: 417, .headTooLarge: 431, .tooManyFields: 431, .transferCodingNotImplemented: 501,
            .versionNotSupported: 505,
        ]
        for fault in Self.all { #expect(fault.status == special[fault, default: 400], "\(fault)") }
        #expect(HeadError.badHost(.userinfo).status == 400)
        #expect(HeadError.badAuthority(.badPort).status == 400)
    }

    @Test func chunkFaultsHaveSentencesToo() {
        #expect(Set(ChunkError.allCases.map { $0.sentence }).count == ChunkError.allCases.count)
    }
}
