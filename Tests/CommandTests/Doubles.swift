import HTTPDNS
import Net
import ProxyServer

@testable import httpdns_proxy

/// Files that exist only in a test.
func files(_ contents: [String: String]) -> FileAccess {
    FileAccess { (path, limit) throws(ValueProblem) in
        guard let content = contents[path] else { throw ValueProblem("cannot be read (No such file or directory)") }
        guard content.utf8.count <= limit else { throw ValueProblem("is larger than \(ByteCountText.describe(limit))") }
        return Array(content.utf8)
    }
}

/// The configuration that results from a command line, variables and files.
func configuration(
    _ words: String..., environment: [String: String] = [:], files contents: [String: String] = [:]
) throws -> ProxyConfiguration {
    switch try Invocation.decide(words, environment: environment, files: files(contents)) {
    case .run(let loaded), .check(let loaded), .resolve(_, _, let loaded): return loaded.configuration
    case .show(let text): throw UsageError("shows text instead: \(text)")
    }
}

/// The configuration that results from the text of a file alone.
func configuration(file: String) throws -> ProxyConfiguration {
    try configuration("--config", "proxy.json", files: ["proxy.json": file])
}

/// The sentence with which a start is refused; nil when it is not.
func refusal(_ words: [String], environment: [String: String] = [:], files contents: [String: String] = [:]) -> String? {
    do throws(UsageError) {
        _ = try Invocation.decide(words, environment: environment, files: files(contents))
        return nil
    } catch {
        return error.sentence
    }
}

func refusal(file: String) -> String? {
    refusal(["--config", "proxy.json"], files: ["proxy.json": file])
}

/// The text that a command line shows; nil when it shows none.
func shown(_ words: String...) throws -> String? {
    guard case .show(let text) = try Invocation.decide(words, environment: [:], files: files([:])) else { return nil }
    return text
}

func addresses(_ texts: String...) -> [SocketAddress] {
    texts.compactMap { SocketAddress($0) }
}

let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
