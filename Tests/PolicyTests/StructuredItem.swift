/// A reader for one item of structured fields (RFC 8941 4.2), written apart from the code under test: token, then parameters whose values
/// are tokens, integers or strings.
struct StructuredItem {
    let token: String
    private(set) var parameters: [(key: String, value: String)] = []

    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        token = Self.word(&rest)
        guard !token.isEmpty else { return nil }
        while !rest.isEmpty {
            guard rest.removeFirst() == UInt8(ascii: ";") else { return nil }
            while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
            let key = Self.word(&rest)
            guard !key.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
            let value = rest.first == UInt8(ascii: "\"") ? Self.string(&rest) : Self.word(&rest)
            guard let value, !value.isEmpty else { return nil }
            parameters.append((key, value))
        }
    }

    private static func word(_ rest: inout ArraySlice<UInt8>) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-".utf8)
        let bytes = rest.prefix { allowed.contains($0) }
        rest = rest.dropFirst(bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func string(_ rest: inout ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
                bytes.append(escaped)
            case 0x20..<0x7f: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }
}
