import HTTPDNS
import Net
import ProxyServer
import Testing

@testable import httpdns_proxy

@Suite("Where settings come from")
struct LayerTests {
    @Test("flag beats environment beats file beats default")
    func precedence() throws {
        let file = ["proxy.json": "{ \"connect_timeout\": \"1s\" }"]
        let variable = ["HTTPDNS_PROXY_CONNECT_TIMEOUT": "2s"]
        #expect(try configuration().connectTimeout == .seconds(10))
        #expect(try configuration("--config", "proxy.json", files: file).connectTimeout == .seconds(1))
        #expect(try configuration("--config", "proxy.json", environment: variable, files: file).connectTimeout == .seconds(2))
        let all = try configuration("--config", "proxy.json", "--connect-timeout", "3s", environment: variable, files: file)
        #expect(all.connectTimeout == .seconds(3))
    }

    @Test("a list is replaced as a whole, never mixed from two places")
    func lists() throws {
        let file = ["proxy.json": "{ listen: ['127.0.0.1:1', '127.0.0.1:2'], allow_client: ['10.0.0.0/8'] }"]
        let variables = ["HTTPDNS_PROXY_LISTEN": "127.0.0.1:3, 127.0.0.1:4", "HTTPDNS_PROXY_CONFIG": "proxy.json"]
        let fromVariables = try configuration(environment: variables, files: file)
        #expect(fromVariables.listeners == addresses("127.0.0.1:3", "127.0.0.1:4"))
        #expect(fromVariables.allowedClients == [try #require(IPPrefix("10.0.0.0/8"))])
        #expect(try configuration("--listen=127.0.0.1:5", environment: variables, files: file).listeners == addresses("127.0.0.1:5"))
    }

    @Test("the file is named by flag or environment, and the flag wins")
    func configFile() throws {
        let contents = ["a.json": "{ workers: 1 }", "b.json": "{ workers: 2 }"]
        let variable = ["HTTPDNS_PROXY_CONFIG": "a.json"]
        #expect(try configuration(environment: variable, files: contents).workers == 1)
        #expect(try configuration("--config=b.json", environment: variable, files: contents).workers == 2)
    }

    @Test("a file that cannot be read stops the start, and the place that named it is told")
    func missingFile() {
        let reason = "\"none.json\" cannot be read (No such file or directory); allowed: a readable JSON5 file"
        #expect(refusal(["--config", "none.json"]) == "--config: \(reason)")
        #expect(refusal([], environment: ["HTTPDNS_PROXY_CONFIG": "none.json"]) == "HTTPDNS_PROXY_CONFIG: \(reason)")
    }

    @Test("an endless file is not read to its end")
    func hugeFile() {
        let contents = ["big.json": String(repeating: " ", count: (1 << 20) + 1)]
        #expect(refusal(["--config", "big.json"], files: contents)?.hasPrefix("--config: \"big.json\" is larger than 1MiB") == true)
    }

    @Test("a fault is reported also where a more specific place overrides it")
    func overriddenFault() {
        let variable = ["HTTPDNS_PROXY_WORKERS": "many"]
        #expect(
            refusal(["--workers", "2"], environment: variable)
                == "HTTPDNS_PROXY_WORKERS: \"many\" is not a whole number; allowed: 1 to 1024")
    }

    @Test("an empty variable, or one with only commas, counts as absent", arguments: ["", ",", " , "])
    func emptyVariable(value: String) throws {
        #expect(try configuration(environment: ["HTTPDNS_PROXY_LISTEN": value]).listeners == addresses("127.0.0.1:3128"))
        #expect(try configuration(environment: ["HTTPDNS_PROXY_ACCOUNT_ID": ""]).resolver.credentials == nil)
    }

    @Test("a variable that nearly names a setting is pointed out, a foreign one is not")
    func misspelledVariable() throws {
        let environment = [
            "HTTPDNS_PROXY_WORKER": "2", "HTTPDNS_PROXY_SERVICE_HOST": "10.0.0.1", "HTTPDNS_PROXY_PORT": "tcp://10.0.0.1:3128",
            "PATH": "/bin",
        ]
        guard case .check(let loaded) = try Invocation.decide(["check"], environment: environment, files: files([:])) else {
            Issue.record("does not check")
            return
        }
        #expect(
            loaded.warnings == [
                "HTTPDNS_PROXY_WORKER: there is no such setting, the variable is ignored; did you mean HTTPDNS_PROXY_WORKERS?"
            ])
    }

    @Test("the table's defaults are the server's own defaults")
    func defaults() throws {
        let typed = try configuration()
        let own = ProxyConfiguration()
        #expect(typed.listeners == own.listeners)
        #expect(typed.workers == own.workers)
        #expect(typed.accessLog == own.accessLog)
        #expect(typed.logLevel == own.logLevel)
        #expect(typed.maximumRequestLine == own.maximumRequestLine)
        #expect(typed.maximumHead == own.maximumHead)
        for path in [\ProxyConfiguration.connectTimeout, \.responseTimeout, \.idleTimeout, \.tunnelIdleTimeout, \.drainTimeout] {
            #expect(typed[keyPath: path] == own[keyPath: path])
        }
        for path in [\ResolverConfiguration.queryTimeout, \.maximumTTL, \.maximumNegativeTTL, \.expiredAnswers] {
            #expect(typed.resolver[keyPath: path] == own.resolver[keyPath: path])
        }
        #expect(typed.resolver.provider == own.resolver.provider)
        #expect(typed.resolver.fallback == own.resolver.fallback)
        #expect(typed.resolver.families == own.resolver.families)
        #expect(typed.resolver.cacheSize == own.resolver.cacheSize)
        #expect(typed.resolver.credentials == nil && typed.resolver.endpoints.isEmpty && typed.resolver.localNames.isEmpty)
        #expect(typed.parentProxy == nil && typed.originCA == nil && typed.providerCA == nil)
        #expect(typed.localDNSServers.isEmpty && typed.allowedClients.isEmpty && typed.allowedDestinations.isEmpty)
    }
}
