import ProxyServer
import Testing

@testable import httpdns_proxy

@Suite("The configuration file")
struct ConfigurationFileTests {
    @Test("JSON5: comments, bare keys, single quotes and trailing commas")
    func json5() throws {
        let result = try configuration(
            file: """
                // a line, with a brace { and a quote "
                {
                  /* a block
                     'over two lines' */
                  listen: [
                    '127.0.0.1:1', // the first
                    "127.0.0.1:2",
                  ],
                  "workers": 3,
                  access_log: "file with \\"quotes\\", {braces} and // slashes",
                  max_head: 16384,
                  'max_request_line': "4KiB",
                }
                """)
        #expect(result.listeners == addresses("127.0.0.1:1", "127.0.0.1:2"))
        #expect(result.workers == 3)
        #expect(result.accessLog == .file("file with \"quotes\", {braces} and // slashes"))
        #expect(result.maximumHead == 16_384 && result.maximumRequestLine == 4096)
    }

    @Test("a file without settings changes nothing", arguments: ["{}", "{ }\n", "// nothing\n{}", "{ \"listen\": [] }", "\u{feff}{}"])
    func empty(text: String) throws {
        #expect(try configuration(file: text).listeners == addresses("127.0.0.1:3128"))
    }

    @Test(
        "unknown settings are refused with line and suggestion",
        arguments: [
            ("{\n\n  conect_timeout: '1s' }", "proxy.json:3: conect_timeout: there is no such setting; did you mean connect_timeout?"),
            ("{ \"connect-timeout\": '1s' }", "proxy.json:1: connect-timeout: there is no such setting; did you mean connect_timeout?"),
            ("{ admin: 'off' }", "proxy.json:1: admin: there is no such setting; see httpdns-proxy --help"),
            ("{ config: 'other.json' }", "proxy.json:1: config: there is no such setting; see httpdns-proxy --help"),
            ("{ \"\": 1 }", "proxy.json:1: : there is no such setting; see httpdns-proxy --help"),
            ("{ workers: 1, \"work\\u0065rs\": 2 }", "proxy.json:1: work\\\\u0065rs: there is no such setting; see httpdns-proxy --help"),
        ])
    func unknown(text: String, expected: String) {
        #expect(refusal(file: text) == expected)
    }

    @Test(
        "a setting given twice is refused, and both lines are named",
        arguments: [
            "{\n workers: 1,\n ca: 'x',\n workers: 2 }", "{\n \"workers\": 1,\n /* \n */ 'workers': 1 }",
            "{\n workers: 1,\n listen: ['{', ','],\n workers: 1 }",
        ])
    func duplicate(text: String) {
        #expect(refusal(file: text)?.hasSuffix(": workers: given twice, first in line 2; allowed: each setting once") == true)
    }

    @Test(
        "a wrong type is refused with the type that is wanted",
        arguments: [
            ("{ workers: '2' }", "workers: is text; allowed: a whole number: 1 to 1024"),
            ("{ workers: 2.5 }", "workers: is a number with a fraction; allowed: a whole number: 1 to 1024"),
            ("{ workers: true }", "workers: is true or false; allowed: a whole number: 1 to 1024"),
            ("{ workers: null }", "workers: is null; allowed: a whole number: 1 to 1024"),
            ("{ workers: { n: 2 } }", "workers: is an object; allowed: a whole number: 1 to 1024"),
            ("{ workers: [2] }", "workers: is a list; allowed: a whole number: 1 to 1024"),
            ("{ fallback: false }", "fallback: is true or false; allowed: text in quotes: local, none"),
            ("{ log_level: 3 }", "log_level: is a number; allowed: text in quotes: error, warning, info, debug"),
            (
                "{ connect_timeout: 5 }",
                "connect_timeout: is a number; allowed: text in quotes: 50ms to 10m, such as 500ms, 2s, 5m"
            ),
            (
                "{ max_head: true }",
                "max_head: is true or false; allowed: a whole number or text in quotes: 1KiB to 16MiB, such as 8192 or 8KiB"
            ),
            (
                "{ listen: '127.0.0.1:1' }",
                "listen: is text; allowed: a list [ ... ], each element text in quotes: \(ValueKind.address.allowed)"
            ),
            (
                "{ listen: ['127.0.0.1:1', 5] }",
                "listen: is a number; allowed: a list [ ... ], each element text in quotes: \(ValueKind.address.allowed)"
            ),
            (
                "{ listen: [['127.0.0.1:1']] }",
                "listen: is a list; allowed: a list [ ... ], each element text in quotes: \(ValueKind.address.allowed)"
            ),
        ])
    func wrongType(text: String, expected: String) {
        #expect(refusal(file: text) == "proxy.json:1: \(expected)")
    }

    @Test("a wrong value is refused with file and line")
    func wrongValue() {
        #expect(
            refusal(file: "{\n workers: 2,\n  idle_timeout: 'soon',\n}")
                == "proxy.json:3: idle_timeout: \"soon\" is not a duration; allowed: 50ms to 24h, such as 500ms, 2s, 5m")
        #expect(refusal(file: "{ workers: -1 }") == "proxy.json:1: workers: \"-1\" is not a whole number; allowed: 1 to 1024")
        #expect(
            refusal(file: "{ access_key_secret: 'hunter two' }")?.hasPrefix("proxy.json:1: access_key_secret: the value is not a secret")
                == true)
    }

    @Test(
        "what is no JSON5 is refused with the line of the broken entry",
        arguments: [
            ("{\n workers: 2,\n ca: 'x'\n family: 'auto',\n cache_size: 1\n}", 3), ("{\n workers: 2,\n family: 'auto',\n cache_size: 1", 4),
            ("{\n workers: two }", 2), ("{ workers: 2,\n family: 'auto }", 2), ("", 1), ("workers = 2\n", 1), ("{\n workers: 2 /* open", 2),
            ("{ workers: 2 }\n}", 1),
        ])
    func notJSON5(text: String, line: Int) {
        #expect(
            refusal(file: text) == "proxy.json:\(line): is not JSON5 from here on; allowed: { \"workers\": 2, ... } with commas and quotes")
    }

    @Test("a file that is JSON but no object is refused", arguments: ["[]", "5", "'text'", "[{ workers: 2 }]"])
    func noObject(text: String) {
        #expect(refusal(file: text) == "proxy.json: is not an object of settings; allowed: { \"workers\": 2, ... }")
    }

    @Test("bytes that are no text are refused")
    func noText() {
        #expect(throws: UsageError.self) { try ConfigurationFile(name: "x", content: [0xff, 0xfe, 0x00]).values() }
        #expect(throws: UsageError.self) { try ConfigurationFile(name: "x", content: [UInt8](repeating: 0, count: 64)).values() }
    }
}

@Suite("Finding the keys of a file")
struct TopLevelKeysTests {
    private func keys(_ text: String) -> [String] {
        TopLevelKeys.find(in: Array(text.utf8)).map { "\($0.line) \($0.name)" }
    }

    @Test(
        "keys of the outermost object are found with their lines",
        arguments: [
            ("{}", []), ("{a:1}", ["1 a"]), ("{\n\"a\": 1,\r\n'b': 2,\n c\n: 3}", ["2 a", "3 b", "4 c"]),
            ("{a: {b: 1, c: 2}, d: [{e: 1}, 'f'], g: 0}", ["1 a", "1 d", "1 g"]), ("{a: 'b, c: 1', d: \"}\"}", ["1 a", "1 d"]),
            ("{ // a: 1\n b: 2, /* c: 3,\n d: 4 */ e: 5 }", ["2 b", "3 e"]), ("{a: 'it\\'s', b: \"\\\\\", c: 1}", ["1 a", "1 b", "1 c"]),
            ("{ $a_1: 1, bü: 2 }", ["1 $a_1", "1 bü"]), ("[{a: 1}]", []), ("'a'", []), ("{a: 'x\\\ny', b: 1}", ["1 a", "2 b"]),
            ("{a: 1 /**/, b: 2}", ["1 a", "1 b"]), ("{a:1,/*/ c:1, */b:2}", ["1 a", "1 b"]),
        ])
    func found(text: String, expected: [String]) {
        #expect(keys(text) == expected)
    }

    @Test("text that breaks off anywhere ends the search without harm")
    func prefixes() {
        let text = Array("{ a: 'x\\'', // c\n \"b\\\\\": [1, {c: 2}], /* d */ e: 3 }".utf8)
        for count in 0...text.count {
            #expect(TopLevelKeys.find(in: Array(text[..<count])).count <= 3)
        }
    }

    @Test("random bytes end the search without harm")
    func noise() {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        let alphabet = Array("{}[],:'\"\\/*\na1 ".utf8)
        for _ in 0..<2000 {
            let text = (0..<40).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            for key in TopLevelKeys.find(in: text) {
                #expect(text.indices.contains(key.start) && key.line >= 1)
            }
        }
    }
}
