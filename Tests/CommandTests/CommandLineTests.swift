import ProxyServer
import Testing

@testable import httpdns_proxy

@Suite("The command line")
struct CommandLineTests {
    @Test("without a command the proxy runs, with all defaults")
    func nothing() throws {
        guard case .run(let loaded) = try Invocation.decide([], environment: [:], files: files([:])) else {
            Issue.record("does not run")
            return
        }
        #expect(loaded.configuration.listeners == addresses("127.0.0.1:3128"))
        #expect(loaded.warnings.isEmpty)
    }

    @Test(
        "run and check can be named",
        arguments: [["run"], ["--workers", "3", "run"], ["run", "--workers=3"], ["check"], ["check", "--workers", "3"]])
    func named(words: [String]) throws {
        switch try Invocation.decide(words, environment: [:], files: files([:])) {
        case .run: #expect(words.contains("run"))
        case .check: #expect(words.contains("check"))
        default: Issue.record("is neither run nor check")
        }
    }

    @Test(
        "a flag's value follows it or an equals sign, before or after the command",
        arguments: [
            ["--connect-timeout", "2s"], ["--connect-timeout=2s"], ["run", "--connect-timeout", "2s"], ["--connect-timeout", "2s", "run"],
            ["check", "--connect-timeout=2s"], ["resolve", "a.test", "--connect-timeout=2s"],
            ["resolve", "--connect-timeout", "2s", "a.test"],
        ])
    func flagForms(words: [String]) throws {
        let arguments = try CommandArguments(words)
        #expect(arguments.flags.map(\.setting.name) == ["connect-timeout"])
        #expect(arguments.flags.map(\.values) == [["2s"]])
    }

    @Test("a single dash is a value, two dashes start the next flag")
    func dashes() throws {
        #expect(try configuration("--access-log", "-").accessLog == .standardOutput)
        #expect(
            refusal(["--access-log", "--listen", "127.0.0.1:1"])?.hasPrefix("--access-log: needs a value; allowed: - (standard output)")
                == true)
        #expect(try configuration("--access-log=--odd").accessLog == .file("--odd"))
    }

    @Test("a repeatable flag collects its values in order")
    func repeated() throws {
        let listeners = try configuration("--listen", "127.0.0.1:1", "--workers", "1", "--listen=[::1]:2").listeners
        #expect(listeners == addresses("127.0.0.1:1", "[::1]:2"))
    }

    @Test("resolve keeps its names in order, canonical, also after --")
    func names() throws {
        let words = ["resolve", "WWW.Example.COM", "b.test.", "--json", "--", "192.0.2.1", "2001:DB8::1", "[2001:db8::2]"]
        guard case .resolve(let names, let asJSON, _) = try Invocation.decide(words, environment: [:], files: files([:])) else {
            Issue.record("does not resolve")
            return
        }
        #expect(names == ["www.example.com", "b.test", "192.0.2.1", "2001:db8::1", "2001:db8::2"])
        #expect(asJSON)
    }

    @Test("a name may be spelled like a command")
    func nameLikeCommand() throws {
        #expect(try CommandArguments(["resolve", "check"]).names == ["check"])
    }

    @Test(
        "what does not fit is refused with a hint",
        arguments: [
            (["rnu"], "\"rnu\" is not a command; allowed: run, resolve, check; did you mean run?"),
            (["explain", "http://a.test/"], "\"explain\" is not a command; allowed: run, resolve, check"),
            (["--conect-timeout", "1s"], "--conect-timeout: there is no such flag; did you mean --connect-timeout?"),
            (["--conect-timeout=1s"], "--conect-timeout: there is no such flag; did you mean --connect-timeout?"),
            (["--verbose-everything"], "--verbose-everything: there is no such flag; see httpdns-proxy --help"),
            (["-x"], "-x: there is no such flag; see httpdns-proxy --help"),
            (["--connect_timeout", "1s"], "--connect_timeout: there is no such flag; did you mean --connect-timeout?"),
            (["--workers", "1", "--workers", "2"], "--workers: given twice; allowed: once"),
            (["--workers"], "--workers: needs a value; allowed: 1 to 1024"),
            (["--json"], "--json: belongs to the command resolve only"),
            (["check", "--json"], "--json: belongs to the command resolve only"),
            (["resolve", "a.test", "--json=yes"], "--json: takes no value"),
            (["run", "fast"], "run: \"fast\" is one word too many; allowed: httpdns-proxy [run] [flags]"),
            (["check", "proxy.json"], "check: \"proxy.json\" is one word too many; allowed: httpdns-proxy check [flags]"),
            (["resolve"], "resolve: needs a name; allowed: httpdns-proxy resolve NAME... [--json] [flags]"),
            (["resolve", "a.test:80"], "resolve: \"a.test:80\" has a port; allowed: a name or an address alone"),
            ([""], "\"\" is not a command; allowed: run, resolve, check"),
        ])
    func misfits(words: [String], expected: String) {
        #expect(refusal(words) == expected)
    }

    @Test(
        "what is no name is not looked up",
        arguments: ["", "a..test", "http://a.test/", "a b", "user@a.test", "1.2.3.256", "bücher.test", "a.test/"])
    func badNames(name: String) {
        let sentence = refusal(["resolve", "good.test", name])
        #expect(sentence?.hasPrefix("resolve: ") == true)
        #expect(sentence?.contains("; allowed: a name") == true)
    }

    @Test(
        "--version names program and version, whatever else is there",
        arguments: [["--version"], ["run", "--version"], ["--nonsense", "--version"]])
    func version(words: [String]) throws {
        guard case .show(let text) = try Invocation.decide(words, environment: [:], files: files([:])) else {
            Issue.record("shows nothing")
            return
        }
        #expect(text == "httpdns-proxy \(Version.current)\n")
        #expect(Version.current.split(separator: ".").count == 3)
    }
}
