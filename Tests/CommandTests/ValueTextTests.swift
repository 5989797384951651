import Testing

@testable import httpdns_proxy

@Suite("Durations and sizes as text")
struct ValueTextTests {
    @Test(
        "a duration is a whole number with a unit, or 0",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("1ms", .milliseconds(1)), ("2s", .seconds(2)), ("5m", .seconds(300)),
            ("24h", .seconds(86_400)),
            ("0", .zero), ("0s", .zero), ("0ms", .zero), ("007s", .seconds(7)), ("90s", .seconds(90)),
        ])
    func durations(text: String, expected: Duration) {
        #expect(DurationText.parse(text) == expected)
    }

    @Test(
        "anything else is no duration",
        arguments: [
            "", "5", "s", "ms", "-1s", "+1s", "1.5s", "1,5s", " 1s", "1s ", "1 s", "1S", "1MS", "1d", "1min", "1s1", "0x1s", "١s",
            "9223372036854775807h", "99999999999999999999s", "1h30m",
        ])
    func noDurations(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        "a duration is described by its largest exact unit",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(50), "50ms"), (.milliseconds(1500), "1500ms"), (.seconds(1), "1s"), (.seconds(60), "60s"),
            (.seconds(120), "2m"),
            (.seconds(90), "90s"), (.seconds(3600), "1h"), (.seconds(86_400), "24h"),
        ])
    func descriptions(duration: Duration, expected: String) {
        #expect(DurationText.describe(duration) == expected)
        #expect(DurationText.parse(expected) == duration)
    }

    @Test(
        "a size is a whole number of bytes, KiB or MiB",
        arguments: [("0", 0), ("1", 1), ("8192", 8192), ("8KiB", 8192), ("64KiB", 65_536), ("1MiB", 1 << 20)])
    func sizes(text: String, expected: Int) {
        #expect(ByteCountText.parse(text) == expected)
    }

    @Test(
        "anything else is no size",
        arguments: ["", "KiB", "8k", "8kB", "8KB", "8 KiB", "-1", "+1", "1.5KiB", "8GiB", "9223372036854775807MiB", "99999999999999999999"])
    func noSizes(text: String) {
        #expect(ByteCountText.parse(text) == nil)
    }

    @Test(
        "a size is described by its largest exact unit",
        arguments: [
            (0, "0"), (256, "256"), (1000, "1000"), (1024, "1KiB"), (8192, "8KiB"), (1 << 20, "1MiB"), (1536, "1536"), (3 << 19, "1536KiB"),
        ])
    func sizeDescriptions(bytes: Int, expected: String) {
        #expect(ByteCountText.describe(bytes) == expected)
        #expect(ByteCountText.parse(expected) == bytes)
    }
}

@Suite("Suggestions for misspelled names")
struct ClosestNameTests {
    private let flags = ["--listen", "--connect-timeout", "--idle-timeout", "--tunnel-idle-timeout", "--ca", "--config"]

    @Test(
        "a near miss finds what was meant",
        arguments: [
            ("--conect-timeout", "--connect-timeout"), ("--listn", "--listen"), ("--lisetn", "--listen"), ("--Listen", "--listen"),
            ("--idle-timout", "--idle-timeout"), ("--connect_timeout", "--connect-timeout"), ("--ac", "--ca"),
            ("--tunel-idle-timeuot", "--tunnel-idle-timeout"),
        ])
    func near(typed: String, meant: String) {
        #expect(ClosestName.suggestion(for: typed, among: flags) == meant)
    }

    @Test("what is far from everything gets no suggestion", arguments: ["--verbose", "--proxy-everything", "--x509", ""])
    func far(typed: String) {
        #expect(ClosestName.suggestion(for: typed, among: flags) == nil)
    }

    @Test("without candidates there is nothing to suggest")
    func nothing() {
        #expect(ClosestName.suggestion(for: "run", among: []) == nil)
    }

    @Test(
        "the distance counts insertions, deletions, replacements and swapped neighbours",
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("kitten", "sitting", 3),
        ])
    func distances(left: String, right: String, expected: Int) {
        #expect(ClosestName.distance(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(ClosestName.distance(Array(right.utf8), Array(left.utf8)) == expected)
    }
}

@Suite("Foreign text in messages")
struct QuotedTests {
    @Test(
        "credentials in a URL are hidden",
        arguments: [
            ("http://user:pass@proxy:3128", "\"http://***@proxy:3128\""), ("socks5://u@h", "\"socks5://***@h\""),
            ("user:p@ss@host", "\"***@host\""), ("http://u:p@a@b", "\"http://***@b\""), ("http:/u:p@h", "\"***@h\""),
            ("http://proxy:3128", "\"http://proxy:3128\""), ("", "\"\""),
        ])
    func credentials(text: String, expected: String) {
        #expect(Quoted.value(text) == expected)
    }

    @Test("control characters and quotes cannot break the line or pose as its end")
    func controls() {
        #expect(Quoted.value("a\nb") == "\"a\\nb\"")
        #expect(Quoted.value("\u{1b}[31m") == "\"\\u{1B}[31m\"")
        #expect(Quoted.value("say \"x\"") == "\"say \\\"x\\\"\"")
        #expect(Quoted.value("\u{202e}abc") == "\"\\u{202E}abc\"")
        #expect(Quoted.value("bücher") == "\"bücher\"")
    }

    @Test("a very long value is cut")
    func long() {
        let text = Quoted.value(String(repeating: "a", count: 5000))
        #expect(text.count < 140)
        #expect(text.hasSuffix("...\""))
    }
}
