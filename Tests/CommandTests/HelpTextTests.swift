import Testing

@testable import httpdns_proxy

@Suite("Help")
struct HelpTextTests {
    @Test("every setting is in the help of run, with default and range")
    func complete() throws {
        let text = try #require(try shown("--help"))
        for setting in SettingsTable.all {
            let heading = setting.places.contains(.flag) ? "\(setting.flag) \(setting.kind.placeholder)" : setting.environmentName
            #expect(text.contains("\n  \(heading)\(setting.isRepeatable ? " (repeat)" : "")\n      \(setting.help)\n"))
            #expect(text.contains("Default: \(setting.defaultValue.words)."))
        }
        #expect(text.contains("Default: 10s. Range: 50ms to 10m."))
        #expect(text.contains("Default: number of cores. Range: 1 to 1024."))
    }

    @Test("every command is in the overview")
    func commands() throws {
        let text = try #require(try shown("-h"))
        for command in Command.allCases {
            #expect(text.contains(command.usage) && text.contains(command.summary))
        }
    }

    @Test("lines fit a terminal", arguments: [[], ["run"], ["resolve"], ["check"]])
    func width(words: [String]) throws {
        guard case .show(let text) = try Invocation.decide(words + ["--help"], environment: [:], files: files([:])) else {
            Issue.record("shows nothing")
            return
        }
        for line in text.split(separator: "\n") {
            #expect(line.count <= 120, "too long: \(line)")
            #expect(line.last != " ")
        }
        #expect(text.hasSuffix("\n") && !text.contains("\n\n\n"))
    }

    @Test("help comes before errors, and a command's help is its own")
    func precedence() throws {
        #expect(try shown("resolve", "--help")?.hasPrefix("Usage: httpdns-proxy resolve NAME...") == true)
        #expect(try shown("--help", "check")?.hasPrefix("Usage: httpdns-proxy check") == true)
        #expect(try shown("run", "--workers", "none", "--help")?.hasPrefix("Usage: httpdns-proxy [run]") == true)
        #expect(try shown("--nonsense", "-h")?.hasPrefix("httpdns-proxy: a forward proxy") == true)
    }

    @Test("help for resolve keeps to what matters there")
    func resolve() throws {
        let text = try #require(try shown("resolve", "--help"))
        #expect(text.contains("--json") && text.contains("--provider-url") && text.contains("--local-dns"))
        #expect(!text.contains("--drain-timeout"))
    }

    @Test("after -- even --help is a plain word")
    func afterDashes() {
        #expect(refusal(["resolve", "--", "--help"])?.hasPrefix("resolve: ") != true)
        #expect(refusal(["--", "--help"])?.hasPrefix("\"--help\" is not a command") == true)
    }
}
