import HTTPDNS
import Net
import ProxyServer

/// Everything the table of settings fills in, before the parts that depend on each other are put together.
struct Settings: Sendable {
    /// The configuration in the making; its initial values are the server's own defaults.
    var proxy = ProxyConfiguration()
    var configurationFile: String?
    var accountID: String?
    var accessKeyID: String?
    var accessKeySecret: String?
    var accessKeySecretFromFile: String?
}

extension Settings {
    /// The finished configuration, once the settings agree with each other. `ranks` says how specific the place was
    /// that gave a setting (by name; absent = default), so that of two sources for the secret the more specific one counts.
    func configuration(ranks: [String: Int]) throws(UsageError) -> ProxyConfiguration {
        try checkListeners()
        var result = proxy
        result.maximumRequestLine = try requestLineLimit(isDefault: ranks["max-request-line", default: 0] == 0)
        result.resolver.credentials = try credentials(secret: chosenSecret(ranks))
        return result
    }

    private func chosenSecret(_ ranks: [String: Int]) throws(UsageError) -> String? {
        guard let direct = accessKeySecret, let fromFile = accessKeySecretFromFile else {
            return accessKeySecret ?? accessKeySecretFromFile
        }
        let directRank = ranks["access-key-secret", default: 0]
        let fileRank = ranks["access-key-secret-file", default: 0]
        guard directRank != fileRank else {
            throw UsageError("the AccessKey secret is given twice in one place; give either access_key_secret or access_key_secret_file")
        }
        return directRank > fileRank ? direct : fromFile
    }

    private func credentials(secret: String?) throws(UsageError) -> Credentials? {
        switch (accountID, accessKeyID, secret) {
        case (nil, nil, nil): return nil
        case (let account?, nil, nil): return Credentials(accountID: account, accessKeyID: nil, secret: nil)
        case (let account?, let key?, let secret?): return Credentials(accountID: account, accessKeyID: key, secret: secret)
        default: break
        }
        let missing = [
            (accountID == nil, "--account-id"), (accessKeyID == nil, "--access-key-id"),
            (secret == nil, "the secret (--access-key-secret-file or HTTPDNS_PROXY_ACCESS_KEY_SECRET)"),
        ].filter(\.0).map(\.1)
        throw UsageError("signed queries need account ID, AccessKey ID and secret together; missing: \(missing.joined(separator: ", "))")
    }

    private func checkListeners() throws(UsageError) {
        for (index, listener) in proxy.listeners.enumerated() where proxy.listeners[..<index].contains(listener) {
            throw UsageError("--listen: \(listener) is given twice; allowed: each address and port once")
        }
    }

    /// The default gives way to a smaller head; a value that somebody chose does not.
    private func requestLineLimit(isDefault: Bool) throws(UsageError) -> Int {
        let line = proxy.maximumRequestLine
        let head = proxy.maximumHead
        guard line <= head || isDefault else {
            throw UsageError(
                "--max-request-line: \(ByteCountText.describe(line)) is more than a whole head may have; "
                    + "allowed: at most the value of --max-head (\(ByteCountText.describe(head)))")
        }
        return min(line, head)
    }
}
