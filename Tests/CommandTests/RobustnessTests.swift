import Testing

@testable import httpdns_proxy

/// Repeatable chance.
private struct Chance {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[below(values.count)]
    }
}

@Suite("Input that nobody foresaw")
struct RobustnessTests {
    private static let values = [
        "", "-", "--", "=", "off", "auto", "none", "0", "1", "-1", "2s", "999999999999h", "8KiB", "127.0.0.1:1", "[::1]:2", "10.0.0.0/8",
        "*", ".a.test",
        "http://u:hunter2@h:1", "socks5://h", "https://h/p?q", "a b", "\u{0}", "\u{1b}[2J", "line\nbreak", "ü", "a.test", "ca.pem", "gone",
        String(repeating: "x", count: 70_000),
    ]

    private let contents = ["ca.pem": certificate, "auto": "{ workers: 2 }", "-": "{", "off": "[]"]

    /// A message is one line of a bearable length, without controls and without the password that was put in.
    private func expectPresentable(_ sentence: String, _ input: String) {
        #expect(!sentence.isEmpty && sentence.utf8.count < 1000, "\(input)")
        #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }, "\(input)")
        #expect(!sentence.contains("hunter2"), "\(input)")
    }

    @Test("any command line is taken, or refused in one presentable line", arguments: 1...8)
    func commandLines(seed: UInt64) {
        var chance = Chance(seed: seed)
        let words =
            SettingsTable.all.map(\.flag) + Command.allCases.map(\.rawValue) + ["--json", "--help", "-h", "--version", "--nonsense"]
        for _ in 0..<500 {
            var line: [String] = []
            for _ in 0...chance.below(6) {
                let word = chance.pick(words)
                line += [[word, chance.pick(Self.values)], [word + "=" + chance.pick(Self.values)], [word]][chance.below(3)]
            }
            if let sentence = refusal(line, files: contents) {
                expectPresentable(sentence, "\(line)")
            }
        }
    }

    @Test(
        "any environment is taken, or refused in one presentable line that names the variable",
        arguments: SettingsTable.all.map(\.environmentName))
    func environments(name: String) {
        for value in Self.values {
            guard let sentence = refusal([], environment: [name: value], files: contents) else { continue }
            expectPresentable(sentence, "\(name)=\(value)")
            let namesPlace = sentence.hasPrefix("\(name): ") || sentence.hasPrefix("signed queries need") || sentence.hasPrefix("\(value):")
            #expect(namesPlace, "\(sentence)")
        }
    }

    @Test("any file is taken, or refused in one presentable line that names the file", arguments: 1...8)
    func filesOfPieces(seed: UInt64) {
        var chance = Chance(seed: seed)
        let pieces =
            [
                "{", "}", "[", "]", ",", ":", "\"", "'", "//", "/*", "*/", "\n", " ", "\\", "5", "-1", "1.5", "true", "null", "\u{7}",
                "'2s'", "'auto'",
            ]
            + SettingsTable.all.map(\.fileKey)
        for _ in 0..<500 {
            let text = "{" + (0...chance.below(12)).map { _ in chance.pick(pieces) }.joined() + "}"
            if let sentence = refusal(file: text) {
                expectPresentable(sentence, text)
                #expect(sentence.hasPrefix("proxy.json"), "\(sentence)")
            }
        }
    }

    @Test("a file cut off anywhere is refused, and the line is one that exists")
    func cutOff() throws {
        let text = "{\n  // the name\n  listen: ['127.0.0.1:1'],\n  workers: 2, /* two */\n  'log_level': \"info\",\n}"
        #expect(refusal(file: text) == nil)
        for count in 1..<text.utf8.count {
            let sentence = try #require(refusal(file: String(decoding: text.utf8.prefix(count), as: UTF8.self)))
            let line = try #require(sentence.split(separator: ":").dropFirst().first.flatMap { Int($0) })
            #expect(1...6 ~= line)
            #expect(sentence.contains("is not JSON5 from here on"))
        }
    }

    @Test("a file that nests without end is refused")
    func nesting() {
        for depth in [100, 100_000] {
            let sentence = refusal(file: "{ listen: " + String(repeating: "[", count: depth))
            #expect(sentence?.hasPrefix("proxy.json:1: is not JSON5") == true)
        }
        let closed = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
        #expect(refusal(file: "{ listen: \(closed) }")?.hasPrefix("proxy.json:1: ") == true)
    }
}
