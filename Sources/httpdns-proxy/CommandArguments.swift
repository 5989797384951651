/// The words of a command line, sorted but not yet judged by value.
struct CommandArguments {
    /// What `--help` and `--version` ask for; they come before everything else, also before errors.
    enum Wish {
        case help, version
    }

    private(set) var command: Command?
    private(set) var names: [String] = []
    private(set) var wantsJSON = false
    private(set) var flags: [SettingsLoader.Given] = []

    /// The first `--help` or `--version` among the words before `--`.
    static func wish(in words: [String]) -> Wish? {
        for word in words.prefix(while: { $0 != "--" }) {
            if word == "--help" || word == "-h" { return .help }
            if word == "--version" { return .version }
        }
        return nil
    }

    /// The command named by a command line that may be wrong otherwise.
    static func command(in words: [String]) -> Command? {
        words.lazy.compactMap(Command.init(rawValue:)).first
    }

    /// `words` without the program's own name.
    init(_ words: [String]) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for name in rest { try addPlainWord(name) }
                break
            } else if word.hasPrefix("-") {
                try addFlag(word, &rest)
            } else {
                try addPlainWord(word)
            }
        }
        try checkFit()
    }

    private mutating func addPlainWord(_ word: String) throws(UsageError) {
        if command == nil {
            guard let named = Command(rawValue: word) else {
                let commands = Command.allCases.map(\.rawValue)
                let hint = ClosestName.suggestion(for: word, among: commands).map { "; did you mean \($0)?" } ?? ""
                throw UsageError("\(Quoted.value(word)) is not a command; allowed: \(commands.joined(separator: ", "))\(hint)")
            }
            command = named
        } else {
            names.append(word)
        }
    }

    private mutating func addFlag(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let flag = parts[0]
        let attached = parts.count > 1 ? parts[1] : nil
        if flag == "--json" {
            guard attached == nil else { throw UsageError("--json: takes no value") }
            wantsJSON = true
            return
        }
        guard let setting = SettingsTable.setting(flag: flag) else { throw Self.unknown(flag) }
        guard let value = attached ?? Self.nextValue(&rest) else {
            throw UsageError("\(flag): needs a value; allowed: \(setting.kind.allowed)")
        }
        try add(value, setting)
    }

    /// A word that starts with two dashes is the next flag, not a value; `--flag=--value` says otherwise.
    private static func nextValue(_ rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first, !next.hasPrefix("--") else { return nil }
        rest.removeFirst()
        return next
    }

    private mutating func add(_ value: String, _ setting: Setting) throws(UsageError) {
        guard let index = flags.firstIndex(where: { $0.setting.name == setting.name }) else {
            flags.append(SettingsLoader.Given(setting: setting, values: [value], place: setting.flag))
            return
        }
        guard setting.isRepeatable else { throw UsageError("\(setting.flag): given twice; allowed: once") }
        flags[index] = SettingsLoader.Given(setting: setting, values: flags[index].values + [value], place: setting.flag)
    }

    private static func unknown(_ flag: String) -> UsageError {
        if let setting = SettingsTable.all.first(where: { $0.flag == flag }) {
            return UsageError(
                "\(flag): a secret is never a flag, because other users can read a command line; "
                    + "allowed: \(setting.environmentName), \(setting.fileKey) in the file, or \(flag)-file FILE")
        }
        let flags = SettingsTable.all.filter { $0.places.contains(.flag) }.map(\.flag) + ["--json", "--help", "--version"]
        let hint = ClosestName.suggestion(for: flag, among: flags).map { "; did you mean \($0)?" } ?? "; see httpdns-proxy --help"
        return UsageError("\(Quoted.key(flag)): there is no such flag\(hint)")
    }

    private func checkFit() throws(UsageError) {
        if command == .resolve {
            guard !names.isEmpty else { throw UsageError("resolve: needs a name; allowed: \(Command.resolve.usage)") }
            return
        }
        let command = command ?? .run
        guard !wantsJSON else { throw UsageError("--json: belongs to the command resolve only") }
        guard names.isEmpty else {
            throw UsageError("\(command.rawValue): \(Quoted.value(names[0])) is one word too many; allowed: \(command.usage)")
        }
    }
}
