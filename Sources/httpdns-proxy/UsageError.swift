/// Why the program will not start: one sentence for standard error, without the program's name.
struct UsageError: Error, Equatable {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// What is wrong with one value; the place and the allowed form are added by whoever knows them.
struct ValueProblem: Error, Equatable {
    /// Follows the quoted value: "is not a duration".
    let finding: String

    init(_ finding: String) {
        self.finding = finding
    }
}

/// Text from outside made safe to print: control characters escaped, long values cut, credentials in URLs hidden.
enum Quoted {
    private static let longest = 120

    static func value(_ text: String) -> String {
        var shown = ""
        for scalar in withoutCredentials(text).unicodeScalars {
            if shown.count >= longest {
                return "\"\(shown)...\""
            }
            shown += scalar == "\"" || scalar == "\\" || !isPrintable(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(shown)\""
    }

    /// A name from outside, without quotes: what is not printable is escaped and very long names are cut.
    static func key(_ text: String) -> String {
        String(value(text).dropFirst().dropLast())
    }

    /// `http://user:pass@host` becomes `http://***@host`; without a scheme everything before the last @ goes.
    static func withoutCredentials(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let before = text[..<at]
        let scheme = schemePrefix(of: before)
        return scheme + "***" + text[at...]
    }

    private static func schemePrefix(of text: Substring) -> Substring {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else { return "" }
        return text[...text.index(colon, offsetBy: 2)]
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
