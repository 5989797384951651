import FoundationEssentials

/// A file of settings: one JSON5 object whose keys are the flags' names with `_` for `-`.
struct ConfigurationFile {
    /// The name for messages, as the person gave it.
    let name: String
    let content: [UInt8]

    /// The settings in the order of the file.
    func values() throws(UsageError) -> [SettingsLoader.Given] {
        let decoded = try decode()
        var lines: [String: Int] = [:]
        var result: [SettingsLoader.Given] = []
        for key in TopLevelKeys.find(in: content) {
            let place = "\(name):\(key.line): \(Quoted.key(key.name))"
            if let first = lines.updateValue(key.line, forKey: key.name) {
                throw UsageError("\(place): given twice, first in line \(first); allowed: each setting once")
            }
            guard let setting = SettingsTable.setting(fileKey: key.name), let value = decoded[key.name] else {
                throw unknown(key.name, place)
            }
            let values = try Self.values(value, setting, place)
            if !values.isEmpty {
                result.append(SettingsLoader.Given(setting: setting, values: values, place: place))
            }
        }
        return result
    }

    private func decode() throws(UsageError) -> [String: FileValue] {
        do {
            return try Self.decode(content)
        } catch DecodingError.dataCorrupted {
            throw UsageError("\(name):\(faultyLine): is not JSON5 from here on; allowed: { \"workers\": 2, ... } with commas and quotes")
        } catch {
            throw UsageError("\(name): is not an object of settings; allowed: { \"workers\": 2, ... }")
        }
    }

    private static func decode(_ text: some Sequence<UInt8>) throws -> [String: FileValue] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return try decoder.decode([String: FileValue].self, from: Data(text))
    }

    /// The line of the entry that breaks the text. The decoder gives no position, but what stands before a sound entry
    /// is itself sound once it is closed, as JSON5 allows a comma at the end.
    private var faultyLine: Int {
        var line = 1
        for key in TopLevelKeys.find(in: content) {
            guard (try? Self.decode(content[..<key.start] + [UInt8(ascii: "}")])) != nil else { break }
            line = key.line
        }
        return line
    }

    private func unknown(_ key: String, _ place: String) -> UsageError {
        let keys = SettingsTable.all.filter { $0.places.contains(.file) }.map(\.fileKey)
        let hint = ClosestName.suggestion(for: key, among: keys).map { "; did you mean \($0)?" } ?? "; see httpdns-proxy --help"
        return UsageError("\(place): there is no such setting\(hint)")
    }

    private static func values(_ value: FileValue, _ setting: Setting, _ place: String) throws(UsageError) -> [String] {
        if setting.isRepeatable, case .list(let elements) = value {
            var texts: [String] = []
            for element in elements {
                texts.append(try single(element, setting, place))
            }
            return texts
        }
        guard !setting.isRepeatable else { throw wrongType(value, setting, place) }
        return [try single(value, setting, place)]
    }

    private static func single(_ value: FileValue, _ setting: Setting, _ place: String) throws(UsageError) -> String {
        switch (value, setting.kind) {
        case (.text(let text), .bytes): return text
        case (.integer(let number), .bytes), (.integer(let number), .integer): return String(number)
        case (_, .integer): throw wrongType(value, setting, place)
        case (.text(let text), _): return text
        default: throw wrongType(value, setting, place)
        }
    }

    private static func wrongType(_ value: FileValue, _ setting: Setting, _ place: String) -> UsageError {
        let single =
            switch setting.kind {
            case .integer: "a whole number"
            case .bytes: "a whole number or text in quotes"
            default: "text in quotes"
            }
        let wanted = setting.isRepeatable ? "a list [ ... ], each element \(single)" : single
        return UsageError("\(place): is \(value.typeName); allowed: \(wanted): \(setting.kind.allowed)")
    }
}

/// Any JSON value, as far as settings care.
enum FileValue: Decodable {
    case text(String)
    case integer(Int)
    case list([FileValue])
    case other(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let list = try? container.decode([FileValue].self) {
            self = .list(list)
        } else if container.decodeNil() {
            self = .other("null")
        } else if (try? container.decode(Bool.self)) != nil {
            self = .other("true or false")
        } else {
            self = .other((try? container.decode(Double.self)) != nil ? "a number with a fraction" : "an object")
        }
    }

    var typeName: String {
        switch self {
        case .text: "text"
        case .integer: "a number"
        case .list: "a list"
        case .other(let name): name
        }
    }
}
