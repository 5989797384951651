import HTTPDNS
import Net
import ProxyServer

/// How names become addresses.
extension SettingsTable {
    static let resolvingRows: [Setting] = serviceRows + credentialRows + localRows + cacheRows

    private static let serviceRows: [Setting] = [
        .choice(
            "provider", ["alibaba-public-dns": .alibabaPublicDNS, "none": .none], default: "alibaba-public-dns",
            to: \.proxy.resolver.provider, help: "The HTTPDNS service; with none, every name goes to LocalDNS."),
        .list(
            "provider-url", .serviceURL, default: .described("the service's own"), to: \.proxy.resolver.endpoints,
            help: "Endpoints to ask instead of the service's own, in this order."
        ) { (text, _) throws(ValueProblem) in
            do throws(EndpointError) {
                return try ProviderEndpoint(url: text)
            } catch {
                throw ValueProblem("is not the URL of a service (\(error.sentence))")
            }
        },
        .certificates(
            "provider-ca", to: \.proxy.providerCA, help: "Certificates trusted for the HTTPDNS service, and for nothing else."),
        .duration(
            "query-timeout", .milliseconds(500)...(.seconds(60)), default: "3s", to: \.proxy.resolver.queryTimeout,
            help: "Time for one HTTPDNS look-up over all endpoints, before LocalDNS is asked; 2s to 5s is sensible."),
    ]

    private static let credentialRows: [Setting] = [
        .identifier(
            "account-id", to: \.accountID,
            help: "Account ID from the service's console; alone, queries are counted but not signed."),
        .identifier("access-key-id", to: \.accessKeyID, help: "AccessKey ID that signs queries, together with account ID and secret."),
        .one(
            "access-key-secret", .secret, default: .described("none"), to: \.accessKeySecret, places: [.environment, .file],
            help: "AccessKey secret; it has no flag, because other users can read a command line."
        ) { (text, _) throws(ValueProblem) in
            try Setting.printable(text, .secret)
        },
        .one(
            "access-key-secret-file", .secretFile, default: .described("none"), to: \.accessKeySecretFromFile,
            help: "File that holds the AccessKey secret."
        ) { (path, files) throws(ValueProblem) in
            try secret(in: files.read(path, 64 << 10))
        },
    ]

    private static let localRows: [Setting] = [
        .addresses(
            "local-dns", default: .described("from resolv.conf"), to: \.proxy.localDNSServers, help: "Servers to ask for LocalDNS."),
        .choice(
            "fallback", ["local": .local, "none": .none], default: "local", to: \.proxy.resolver.fallback,
            help: "What answers when HTTPDNS cannot: LocalDNS, or nobody."),
        .list(
            "local-name", .namePattern, default: .described("none"), to: \.proxy.resolver.localNames,
            help: "More names that only LocalDNS may see, besides single labels, .local, .internal, .svc and the like."
        ) { (text, _) throws(ValueProblem) in
            try Setting.some(NamePattern(text), .namePattern)
        },
        .choice(
            "family", ["auto": .auto, "ipv4": .ipv4, "ipv6": .ipv6, "both": .both], default: "auto", to: \.proxy.resolver.families,
            help: "Address families to ask for; auto asks for those this host can reach."),
    ]

    private static let cacheRows: [Setting] = [
        .integer(
            "cache-size", 0...10_000_000, default: .text("10000"), to: \.proxy.resolver.cacheSize,
            help: "Answers kept at once; 0 keeps none."),
        .duration(
            "max-ttl", .seconds(1)...(.seconds(86_400)), default: "1h", to: \.proxy.resolver.maximumTTL,
            help: "Longest time an answer counts as fresh, whatever its TTL."),
        .duration(
            "max-negative-ttl", .zero...(.seconds(3600)), default: "30s", to: \.proxy.resolver.maximumNegativeTTL,
            help: "Longest time a missing name or record is remembered; 0 remembers none."),
        .duration(
            "expired-answers", .zero...(.seconds(86_400)), default: "30s", to: \.proxy.resolver.expiredAnswers,
            help: "How long after its end an answer may still be used while a new one is fetched; 0 is never."),
    ]

    /// The secret is what stands on the file's only line; editors and `echo` end it with a newline.
    private static func secret(in content: [UInt8]) throws(ValueProblem) -> String {
        let text = String(decoding: content, as: UTF8.self)
        let line = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? text.dropLast() : text[...]
        guard !line.isEmpty else { throw ValueProblem("is empty") }
        guard line.utf8.count <= 256, line.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw ValueProblem("does not hold one line of at most 256 printable ASCII characters")
        }
        return String(line)
    }
}
