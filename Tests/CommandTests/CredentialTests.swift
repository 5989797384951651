import HTTPDNS
import ProxyServer
import Testing

@testable import httpdns_proxy

@Suite("Credentials")
struct CredentialTests {
    private let secret = "s3cr3t-value"
    private var pair: [String] { ["--account-id", "1001", "--access-key-id", "key.1"] }

    private func credentials(_ words: [String], environment: [String: String] = [:], files contents: [String: String] = [:]) throws
        -> Credentials?
    {
        guard case .run(let loaded) = try Invocation.decide(words, environment: environment, files: files(contents)) else { return nil }
        return loaded.configuration.resolver.credentials
    }

    @Test("the secret comes from environment, file, or a file of its own")
    func sources() throws {
        let expected = Credentials(accountID: "1001", accessKeyID: "key.1", secret: secret)
        #expect(try credentials(pair, environment: ["HTTPDNS_PROXY_ACCESS_KEY_SECRET": secret]) == expected)
        #expect(try credentials(pair + ["--config=a"], files: ["a": "{ access_key_secret: '\(secret)' }"]) == expected)
        #expect(try credentials(pair + ["--access-key-secret-file", "s"], files: ["s": secret]) == expected)
        #expect(try credentials(pair, environment: ["HTTPDNS_PROXY_ACCESS_KEY_SECRET_FILE": "s"], files: ["s": secret]) == expected)
        #expect(try credentials(pair + ["--config=a"], files: ["a": "{ access_key_secret_file: 's' }", "s": secret]) == expected)
    }

    @Test("one newline at the end of a secret's file is not part of it", arguments: ["", "\n", "\r\n"])
    func newline(end: String) throws {
        #expect(try credentials(pair + ["--access-key-secret-file", "s"], files: ["s": secret + end])?.secret == secret)
    }

    @Test(
        "a file without a usable secret is refused, without its content being shown",
        arguments: [
            ("", "is empty"), ("\n", "is empty"), ("hunter two", "does not hold one line"), ("hunter\ntwo\n", "does not hold one line"),
            ("hunter\u{7f}", "does not hold one line"), (String(repeating: "h", count: 257), "does not hold one line"),
        ])
    func unusable(content: String, finding: String) throws {
        let sentence = try #require(refusal(pair + ["--access-key-secret-file", "s"], files: ["s": content]))
        #expect(sentence.hasPrefix("--access-key-secret-file: \"s\" \(finding)"))
        #expect(!sentence.contains("hunter") && !sentence.contains("hhhh"))
    }

    @Test(
        "a secret is never a flag, and the attempt does not print it",
        arguments: [["--access-key-secret", "hunter2"], ["--access-key-secret=hunter2"]])
    func neverAFlag(words: [String]) throws {
        let sentence = try #require(refusal(words))
        #expect(sentence.hasPrefix("--access-key-secret: a secret is never a flag"))
        #expect(sentence.contains("HTTPDNS_PROXY_ACCESS_KEY_SECRET") && sentence.contains("--access-key-secret-file FILE"))
        #expect(!sentence.contains("hunter2"))
    }

    @Test("a refused secret is not shown", arguments: ["hunter two", "hunter\u{7}"])
    func refusedSecret(value: String) throws {
        let sentence = try #require(refusal([], environment: ["HTTPDNS_PROXY_ACCESS_KEY_SECRET": value]))
        #expect(sentence == "HTTPDNS_PROXY_ACCESS_KEY_SECRET: the value is not a secret; allowed: \(ValueKind.secret.allowed)")
    }

    @Test("of two secrets the more specific place counts; in one place they are an error")
    func twoSecrets() throws {
        let variables = ["HTTPDNS_PROXY_ACCESS_KEY_SECRET": "from-variable"]
        let contents = ["s": "from-file", "a": "{ access_key_secret: 'inline', access_key_secret_file: 's' }"]
        #expect(try credentials(pair + ["--access-key-secret-file", "s"], environment: variables, files: contents)?.secret == "from-file")
        let layered = ["a": "{ access_key_secret_file: 's' }", "s": "from-file"]
        #expect(try credentials(pair + ["--config=a"], environment: variables, files: layered)?.secret == "from-variable")
        #expect(refusal(pair + ["--config=a"], files: contents)?.hasPrefix("the AccessKey secret is given twice in one place") == true)
    }

    @Test("an account alone is sent unsigned")
    func accountAlone() throws {
        #expect(try credentials(["--account-id", "1001"]) == Credentials(accountID: "1001", accessKeyID: nil, secret: nil))
    }

    @Test(
        "half a set of credentials is refused, and what is missing is named",
        arguments: [
            (["--access-key-id", "k"], "--account-id, the secret (--access-key-secret-file or HTTPDNS_PROXY_ACCESS_KEY_SECRET)"),
            (["--account-id", "1", "--access-key-id", "k"], "the secret (--access-key-secret-file or HTTPDNS_PROXY_ACCESS_KEY_SECRET)"),
            (["--account-id", "1", "--access-key-secret-file", "s"], "--access-key-id"),
            (["--access-key-id", "k", "--access-key-secret-file", "s"], "--account-id"),
            (["--access-key-secret-file", "s"], "--account-id, --access-key-id"),
        ])
    func incomplete(words: [String], missing: String) {
        #expect(
            refusal(words, files: ["s": "x"]) == "signed queries need account ID, AccessKey ID and secret together; missing: \(missing)")
    }
}
