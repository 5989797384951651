import HTTPDNS
import Net
import ProxyServer

/// The rows' short forms, one for each kind of value.
extension Setting {
    static func duration(
        _ name: String, _ range: ClosedRange<Duration>, default text: String, to path: SettingPath<Duration>, help: String
    ) -> Setting {
        let kind = ValueKind.duration(range)
        return one(name, kind, default: .text(text), to: path, help: help) { (text, _) throws(ValueProblem) in
            try inRange(DurationText.parse(text), range, kind)
        }
    }

    static func integer(
        _ name: String, _ range: ClosedRange<Int>, default defaultValue: Default, to path: SettingPath<Int>, help: String
    ) -> Setting {
        let kind = ValueKind.integer(range)
        return one(name, kind, default: defaultValue, to: path, help: help) { (text, _) throws(ValueProblem) in
            try inRange(text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(text) : nil, range, kind)
        }
    }

    static func bytes(
        _ name: String, _ range: ClosedRange<Int>, default text: String, to path: SettingPath<Int>, help: String
    ) -> Setting {
        let kind = ValueKind.bytes(range)
        return one(name, kind, default: .text(text), to: path, help: help) { (text, _) throws(ValueProblem) in
            try inRange(ByteCountText.parse(text), range, kind)
        }
    }

    static func choice<Value: Sendable>(
        _ name: String, _ choices: KeyValuePairs<String, Value>, default text: String, to path: SettingPath<Value>, help: String
    ) -> Setting {
        let kind = ValueKind.choice(choices.map(\.key))
        let table = Array(choices)
        return one(name, kind, default: .text(text), to: path, help: help) { (text, _) throws(ValueProblem) in
            try some(table.first { $0.key == text }?.value, kind)
        }
    }

    static func addresses(
        _ name: String, default defaultValue: Default, to path: SettingPath<[SocketAddress]>, help: String
    ) -> Setting {
        list(name, .address, default: defaultValue, to: path, help: help) { (text, _) throws(ValueProblem) in
            let address = try some(SocketAddress(text), .address)
            guard address.port > 0 else { throw ValueProblem("has a port that is out of range") }
            return address
        }
    }

    static func prefixes(
        _ name: String, default words: String, to path: SettingPath<[IPPrefix]>, help: String
    ) -> Setting {
        list(name, .prefix, default: .described(words), to: path, help: help) { (text, _) throws(ValueProblem) in
            try some(IPPrefix(text), .prefix)
        }
    }

    static func identifier(_ name: String, to path: SettingPath<String?>, help: String) -> Setting {
        one(name, .identifier, default: .described("none"), to: path, help: help) { (text, _) throws(ValueProblem) in
            try printable(text, .identifier)
        }
    }

    static func certificates(_ name: String, to path: SettingPath<String?>, help: String) -> Setting {
        one(name, .certificateFile, default: .described("system bundle"), to: path, help: help) { (path, files) throws(ValueProblem) in
            let content = try files.read(path, 16 << 20)
            guard content.firstRange(of: "CERTIFICATE-----".utf8) != nil else { throw ValueProblem("holds no PEM certificate") }
            return path
        }
    }
}

/// Checks that several kinds share.
extension Setting {
    static func some<Value>(_ value: Value?, _ kind: ValueKind) throws(ValueProblem) -> Value {
        guard let value else { throw ValueProblem("is not \(kind.noun)") }
        return value
    }

    static func inRange<Value: Comparable>(_ value: Value?, _ range: ClosedRange<Value>, _ kind: ValueKind) throws(ValueProblem) -> Value {
        let value = try some(value, kind)
        guard range.contains(value) else { throw ValueProblem("is out of range") }
        return value
    }

    static func printable(_ text: String, _ kind: ValueKind) throws(ValueProblem) -> String {
        guard 1...256 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { throw ValueProblem("is not \(kind.noun)") }
        return text
    }
}
