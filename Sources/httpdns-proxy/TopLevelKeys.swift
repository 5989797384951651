/// Finds the keys of the outermost object of a JSON5 text, with their lines. The decoder keeps only one of several equal keys
/// and no positions; this second look at the text brings both back. Of text that is no JSON5 it finds the keys before the fault.
struct TopLevelKeys {
    struct Key: Equatable {
        /// As written, without quotes.
        let name: String
        let line: Int
        /// Offset of its first byte, a quote included.
        let start: Int
    }

    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var depth = 0
    private var expectsKey = false
    private var keys: [Key] = []

    static func find(in text: [UInt8]) -> [Key] {
        var scan = TopLevelKeys(text: text)
        while scan.position < text.count { scan.step() }
        return scan.keys
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private mutating func step() {
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "\n"):
            line += 1
            position += 1
        case UInt8(ascii: "/"): skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): readQuoted(until: byte)
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            position += 1
        case UInt8(ascii: ","):
            expectsKey = depth == 1
            position += 1
        default:
            if expectsKey && Self.isNamePart(byte) { readBareKey() } else { position += 1 }
        }
    }

    private mutating func open(_ byte: UInt8) {
        depth += 1
        expectsKey = depth == 1 && byte == UInt8(ascii: "{")
        position += 1
    }

    private mutating func skipComment() {
        let isBlock = position + 1 < text.count && text[position + 1] == UInt8(ascii: "*")
        let start = position + 2
        position = start
        while position < text.count {
            if isBlock, position > start, text[position - 1] == UInt8(ascii: "*"), text[position] == UInt8(ascii: "/") {
                position += 1
                return
            }
            if text[position] == UInt8(ascii: "\n") {
                guard isBlock else { return }
                line += 1
            }
            position += 1
        }
    }

    private mutating func readQuoted(until quote: UInt8) {
        let start = position + 1
        let startLine = line
        position = start
        while position < text.count, text[position] != quote {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(position, text.count)
        line += text[start..<end].count { $0 == UInt8(ascii: "\n") }
        record(start..<end, from: start - 1, startLine)
        position += 1
    }

    private mutating func readBareKey() {
        let start = position
        while position < text.count, Self.isNamePart(text[position]) { position += 1 }
        record(start..<position, from: start, line)
    }

    private mutating func record(_ range: Range<Int>, from start: Int, _ keyLine: Int) {
        guard expectsKey else { return }
        keys.append(Key(name: String(decoding: text[range], as: UTF8.self), line: keyLine, start: start))
        expectsKey = false
    }

    /// Bytes from 0x80 on belong to letters outside ASCII, which JSON5 allows in a bare key.
    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "\\"), 0x80...: true
        default: false
        }
    }
}
