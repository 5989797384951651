import Testing

@testable import httpdns_proxy

@Suite("Values that are refused")
struct RefusedValueTests {
    @Test("a bad duration is named with its range", arguments: ["abc", "", "10", "-1s", "1.5s"])
    func durations(value: String) {
        #expect(
            refusal(["--connect-timeout=\(value)"])
                == "--connect-timeout: \"\(value)\" is not a duration; allowed: 50ms to 10m, such as 500ms, 2s, 5m")
    }

    /// The two values of each range that are just outside, as far as there are two.
    private static let outside: [(String, [String])] = [
        ("connect-timeout", ["49ms", "600001ms"]), ("response-timeout", ["49ms", "25h"]), ("idle-timeout", ["49ms", "25h"]),
        ("tunnel-idle-timeout", ["49ms", "169h"]), ("drain-timeout", ["61m"]), ("query-timeout", ["499ms", "61s"]),
        ("max-ttl", ["0", "999ms", "25h"]), ("max-negative-ttl", ["61m"]), ("expired-answers", ["25h"]), ("workers", ["0", "1025"]),
        ("cache-size", ["10000001"]), ("max-request-line", ["63", "2MiB"]), ("max-head", ["1023", "17MiB"]),
    ]

    @Test("every range is enforced at both ends", arguments: outside)
    func ranges(name: String, values: [String]) throws {
        let setting = try #require(SettingsTable.setting(flag: "--\(name)"))
        for value in values {
            #expect(refusal(["--\(name)", value]) == "--\(name): \"\(value)\" is out of range; allowed: \(setting.kind.allowed)")
        }
    }

    @Test(
        "the ends of the ranges themselves are accepted",
        arguments: [
            ["--connect-timeout=50ms"], ["--connect-timeout=10m"], ["--drain-timeout=0"], ["--query-timeout=500ms"],
            ["--query-timeout=60s"],
            ["--max-ttl=1s"], ["--max-ttl=24h"], ["--max-negative-ttl=0s"], ["--expired-answers=0"], ["--expired-answers=24h"],
            ["--workers=1"],
            ["--workers=1024"], ["--cache-size=0"], ["--cache-size=10000000"], ["--max-request-line=64"], ["--max-head=8KiB"],
            ["--max-head=16MiB"],
        ])
    func ends(words: [String]) {
        #expect(refusal(words) == nil)
    }

    @Test(
        "each kind of value is refused in its own words",
        arguments: [
            (["--workers", "two"], "--workers: \"two\" is not a whole number; allowed: 1 to 1024"),
            (["--workers", "+2"], "--workers: \"+2\" is not a whole number; allowed: 1 to 1024"),
            (["--workers", "99999999999999999999"], "--workers: \"99999999999999999999\" is not a whole number; allowed: 1 to 1024"),
            (["--max-head", "64k"], "--max-head: \"64k\" is not a size; allowed: 1KiB to 16MiB, such as 8192 or 8KiB"),
            (["--family", "v4"], "--family: \"v4\" is not one of the choices; allowed: auto, ipv4, ipv6, both"),
            (["--fallback", "LOCAL"], "--fallback: \"LOCAL\" is not one of the choices; allowed: local, none"),
            (["--provider", "emas"], "--provider: \"emas\" is not one of the choices; allowed: alibaba-public-dns, none"),
            (["--log-level", "trace"], "--log-level: \"trace\" is not one of the choices; allowed: error, warning, info, debug"),
            (
                ["--access-log", ""],
                "--access-log: \"\" is not a place for the log; allowed: - (standard output), off, or the name of a file"
            ),
            (
                ["--account-id", "a b"],
                "--account-id: \"a b\" is not an identifier; allowed: 1 to 256 printable ASCII characters without spaces"
            ),
        ])
    func kinds(words: [String], expected: String) {
        #expect(refusal(words) == expected)
    }

    @Test(
        "an address needs a literal address and a port",
        arguments: ["localhost:80", "127.0.0.1", ":80", "::1:80", "127.0.0.1:65536", "127.1:80", "*:80"])
    func addresses(value: String) {
        for flag in ["--listen", "--local-dns"] {
            #expect(
                refusal([flag, value])?.hasPrefix("\(flag): \"\(value)\" is not an address with a port; allowed: ADDRESS:PORT") == true)
        }
    }

    @Test("port 0 is out of range")
    func portZero() {
        #expect(
            refusal(["--listen", "127.0.0.1:0"])?.hasPrefix("--listen: \"127.0.0.1:0\" has a port that is out of range; allowed: ") == true)
    }

    @Test("a range of addresses needs CIDR form", arguments: ["10.0.0.0/33", "10.0.0/8", "example.com", "::/129", "10.0.0.0/"])
    func prefixes(value: String) {
        for flag in ["--allow-client", "--allow-destination"] {
            #expect(refusal([flag, value])?.hasPrefix("\(flag): \"\(value)\" is not an address range; allowed: ") == true)
        }
    }

    @Test("one bad value in a list is the one that is named")
    func listElement() {
        let sentence = refusal(["--allow-client", "10.0.0.0/8", "--allow-client", "bad", "--allow-client", "::1"])
        #expect(sentence?.hasPrefix("--allow-client: \"bad\" is not an address range") == true)
    }

    @Test("URLs need a scheme that is spoken", arguments: ["ftp://a.test", "a.test", "", "https://"])
    func urls(value: String) {
        #expect(
            refusal(["--provider-url", value])?.hasPrefix("--provider-url: \"\(value)\" is not the URL of a service (")
                == true)
    }

    @Test("a refused parent proxy does not show its password")
    func parentProxy() throws {
        let flag = try #require(refusal(["--parent-proxy", "ftp://user:hunter2@proxy:21"]))
        #expect(flag.hasPrefix("--parent-proxy: \"ftp://***@proxy:21\" is not the URL of a proxy (the URL must begin with http://"))
        let variable = try #require(refusal([], environment: ["HTTPDNS_PROXY_PARENT_PROXY": "user:hunter2@proxy"]))
        #expect(variable.hasPrefix("HTTPDNS_PROXY_PARENT_PROXY: \"***@proxy\" is not the URL"))
    }

    @Test("a certificate file has to exist and to hold a certificate")
    func certificates() {
        let contents = ["ca.pem": certificate, "notes.txt": "hello"]
        for flag in ["--ca", "--provider-ca"] {
            #expect(refusal([flag, "ca.pem"], files: contents) == nil)
            #expect(
                refusal([flag, "none.pem"], files: contents)
                    == "\(flag): \"none.pem\" cannot be read (No such file or directory); allowed: a readable PEM file with at least one certificate"
            )
            #expect(
                refusal([flag, "notes.txt"], files: contents)
                    == "\(flag): \"notes.txt\" holds no PEM certificate; allowed: a readable PEM file with at least one certificate")
        }
    }

    @Test("a listener given twice is refused, before two workers would fight over it")
    func listenerTwice() {
        #expect(
            refusal(["--listen", "127.0.0.1:1", "--listen", "127.0.0.1:1"])
                == "--listen: 127.0.0.1:1 is given twice; allowed: each address and port once")
    }

    @Test("a small head makes the default for the request line smaller, too")
    func smallHead() throws {
        let result = try configuration("--max-head", "1024")
        #expect(result.maximumHead == 1024 && result.maximumRequestLine == 1024)
    }

    @Test("a request line cannot be longer than a head")
    func limits() {
        #expect(
            refusal(["--max-request-line", "16KiB", "--max-head", "8KiB"])
                == "--max-request-line: 16KiB is more than a whole head may have; allowed: at most the value of --max-head (8KiB)")
        #expect(refusal(["--max-request-line", "8KiB", "--max-head", "8KiB"]) == nil)
    }
}
