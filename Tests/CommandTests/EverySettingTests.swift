import HTTPDNS
import Net
import ProxyServer
import Testing

@testable import httpdns_proxy

/// A value for each setting that differs from its default, and how to see it in the configuration.
private let samples: [(name: String, value: String, shows: @Sendable (ProxyConfiguration) -> Bool)] = [
    ("listen", "127.0.0.2:8080", { $0.listeners == addresses("127.0.0.2:8080") }),
    ("allow-client", "10.0.0.0/8", { $0.allowedClients.map(\.description) == ["10.0.0.0/8"] }),
    ("workers", "7", { $0.workers == 7 }),
    ("provider", "none", { $0.resolver.provider == .none }),
    (
        "provider-url", "http://192.0.2.1:8053",
        { $0.resolver.endpoints.map(\.host) == ["192.0.2.1"] && $0.resolver.endpoints[0].port == 8053 }
    ),
    ("provider-ca", "ca.pem", { $0.providerCA == "ca.pem" && $0.originCA == nil }),
    ("query-timeout", "2500ms", { $0.resolver.queryTimeout == .milliseconds(2500) }),
    ("account-id", "1234", { $0.resolver.credentials?.accountID == "1234" }),
    ("local-dns", "127.0.0.53:53", { $0.localDNSServers == addresses("127.0.0.53:53") }),
    ("fallback", "none", { $0.resolver.fallback == .none }),
    ("local-name", ".corp.test", { $0.resolver.localNames.map(\.description) == [".corp.test"] }),
    ("family", "ipv6", { $0.resolver.families == .ipv6 }),
    ("cache-size", "0", { $0.resolver.cacheSize == 0 }),
    ("max-ttl", "10m", { $0.resolver.maximumTTL == .seconds(600) }),
    ("max-negative-ttl", "0", { $0.resolver.maximumNegativeTTL == .zero }),
    ("expired-answers", "1h", { $0.resolver.expiredAnswers == .seconds(3600) }),
    ("allow-destination", "127.0.0.0/8", { $0.allowedDestinations.map(\.description) == ["127.0.0.0/8"] }),
    ("ca", "ca.pem", { $0.originCA == "ca.pem" && $0.providerCA == nil }),
    ("parent-proxy", "http://user:hunter2@192.0.2.9:3128", { $0.parentProxy != nil }),
    ("connect-timeout", "1s", { $0.connectTimeout == .seconds(1) }),
    ("response-timeout", "2s", { $0.responseTimeout == .seconds(2) }),
    ("idle-timeout", "3s", { $0.idleTimeout == .seconds(3) }),
    ("body-idle-timeout", "6s", { $0.bodyIdleTimeout == .seconds(6) }),
    ("tunnel-idle-timeout", "4s", { $0.tunnelIdleTimeout == .seconds(4) }),
    ("drain-timeout", "5s", { $0.drainTimeout == .seconds(5) }),
    ("max-request-line", "4KiB", { $0.maximumRequestLine == 4096 }),
    ("max-head", "32KiB", { $0.maximumHead == 32_768 }),
    ("access-log", "access.log", { $0.accessLog == .file("access.log") }),
    ("log-level", "debug", { $0.logLevel == .debug }),
]

/// Settings that say nothing alone; other tests give them together.
private let elsewhere: Set<String> = ["access-key-id", "access-key-secret", "access-key-secret-file", "config"]

@Suite("Every setting")
struct EverySettingTests {
    private let contents = ["ca.pem": certificate]

    @Test("there is a sample for each row of the table")
    func complete() {
        #expect(Set(samples.map(\.name)).union(elsewhere) == Set(SettingsTable.all.map(\.name)))
    }

    @Test("arrives from its flag", arguments: samples.indices)
    func flag(index: Int) throws {
        let sample = samples[index]
        #expect(!sample.shows(try configuration()), "the sample for \(sample.name) is the default")
        #expect(sample.shows(try configuration("--\(sample.name)", sample.value, files: contents)))
        #expect(sample.shows(try configuration("check", "--\(sample.name)=\(sample.value)", files: contents)))
    }

    @Test("arrives from its variable", arguments: samples.indices)
    func variable(index: Int) throws {
        let sample = samples[index]
        let setting = try #require(SettingsTable.all.first { $0.name == sample.name })
        #expect(sample.shows(try configuration(environment: [setting.environmentName: sample.value], files: contents)))
    }

    @Test("arrives from the file", arguments: samples.indices)
    func file(index: Int) throws {
        let sample = samples[index]
        let setting = try #require(SettingsTable.all.first { $0.name == sample.name })
        let isNumber = if case .integer = setting.kind { true } else { false }
        let value = isNumber ? sample.value : "\"\(sample.value)\""
        let text = "{ \(setting.fileKey): \(setting.isRepeatable ? "[\(value)]" : value) }"
        let files = contents.merging(["proxy.json": text]) { first, _ in first }
        #expect(sample.shows(try configuration("--config", "proxy.json", files: files)))
    }

    @Test("has a name in the usual form, used once, and one sentence of help")
    func names() {
        #expect(Set(SettingsTable.all.map(\.name)).count == SettingsTable.all.count)
        for setting in SettingsTable.all {
            #expect(setting.name.allSatisfy { $0 == "-" || ($0.isASCII && $0.isLetter && $0.isLowercase) })
            #expect(setting.help.hasSuffix(".") && setting.help.count <= 120 && !setting.help.contains("\n"))
            #expect(setting.environmentName.hasPrefix("HTTPDNS_PROXY_") && !setting.environmentName.contains("-"))
            #expect(setting.places.contains(.environment))
        }
    }

    @Test("every choice of an enumeration is accepted")
    func choices() {
        for setting in SettingsTable.all {
            guard case .choice(let names) = setting.kind else { continue }
            for name in names {
                #expect(refusal([setting.flag, name]) == nil)
            }
        }
    }

    @Test("the log has two special places")
    func logTargets() throws {
        #expect(try configuration("--access-log=off").accessLog == .off)
        #expect(try configuration("--access-log=-").accessLog == .standardOutput)
        #expect(try configuration("--access-log=/var/log/a").accessLog == .file("/var/log/a"))
    }
}
