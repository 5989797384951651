import HTTPDNS
import ProxyServer
import Testing

@testable import httpdns_proxy

/// A row of the README's tables, as it follows from a setting.
enum DocumentRows {
    static func row(_ setting: Setting) -> String {
        let name = setting.places.contains(.flag) ? "\(setting.flag) \(setting.kind.placeholder)" : setting.environmentName
        let escaped = String(name.flatMap { $0 == "|" ? "\\|" : String($0) })
        let range =
            switch setting.kind {
            case .duration(let range): " (\(DurationText.describe(range.lowerBound)) to \(DurationText.describe(range.upperBound)))"
            case .bytes(let range): " (\(ByteCountText.describe(range.lowerBound)) to \(ByteCountText.describe(range.upperBound)))"
            case .integer(let range): " (\(range.lowerBound) to \(range.upperBound))"
            default: ""
            }
        return "| `\(escaped)`\(setting.isRepeatable ? " (repeat)" : "") | \(setting.defaultValue.words)\(range) | \(setting.help) |"
    }
}

/// Files that users read and that repeat what the table of settings says.
@Suite("Documents agree with the table of settings")
struct DocumentTests {
    private func text(_ path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return String(decoding: try FileAccess.system.read("/\(root)/\(path)", 1 << 20), as: UTF8.self)
    }

    private func sample() throws -> String {
        try text("docker/httpdns-proxy.json")
    }

    @Test("the sample file is valid and says what holds without it")
    func sampleParses() throws {
        let own = try configuration()
        let result = try configuration(file: try sample())
        #expect(result.listeners == own.listeners && result.resolver.credentials == nil)
        let given = try ConfigurationFile(name: "sample", content: Array(try sample().utf8)).values()
        for value in given {
            #expect(value.setting.defaultValue == .text(value.values.joined(separator: ",")), "\(value.place)")
        }
        let withDefault = SettingsTable.all.filter { if case .text = $0.defaultValue { true } else { false } }
        #expect(given.map(\.setting.name) == withDefault.map(\.name))
    }

    @Test("the sample file names every setting once, each under its help")
    func sampleComplete() throws {
        let lines = try sample().split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        for setting in SettingsTable.all where setting.places.contains(.file) {
            let places = lines.indices.filter {
                let line = lines[$0].hasPrefix("// \"") ? lines[$0].dropFirst(3) : lines[$0]
                return line.hasPrefix("\"\(setting.fileKey)\":")
            }
            #expect(places.count == 1, "\(setting.fileKey)")
            guard let place = places.first, place >= 2 else { continue }
            #expect(lines[place - 2] == "// \(setting.help)")
            #expect(
                lines[place - 1].contains(setting.kind.allowed) && lines[place - 1].hasSuffix("Default: \(setting.defaultValue.words)."))
        }
    }

    @Test("settings that the sample file shows as comments work once their marks are taken away")
    func sampleCommented() throws {
        let lines = try sample().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let start = line.drop { $0 == " " }
            return start.hasPrefix("// \"") ? String(start.dropFirst(3)) : String(line)
        }
        let content = Array(lines.joined(separator: "\n").utf8)
        let given = try ConfigurationFile(name: "sample", content: content).values().map(\.setting.name)
        let single = SettingsTable.all.filter {
            $0.places.contains(.file) && !($0.isRepeatable && $0.defaultValue.words != "127.0.0.1:3128")
        }
        #expect(given == single.map(\.name))
    }

    @Test("the README lists every setting with its default and meaning")
    func readme() throws {
        let text = try text("README.md")
        for setting in SettingsTable.all {
            #expect(text.contains("\n\(DocumentRows.row(setting))\n"), "\(DocumentRows.row(setting))")
        }
    }

    @Test("the change log knows the version")
    func changeLog() throws {
        #expect(try text("CHANGELOG.md").contains("\n## \(Version.current)"))
    }
}
