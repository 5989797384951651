/// The text of `--help`, worded from the table of settings.
enum HelpText {
    static func page(for command: Command?) -> String {
        switch command {
        case nil: overview + settings(SettingsTable.groups) + closing
        case .run?: head(.run) + settings(SettingsTable.groups) + closing
        case .check?:
            head(.check) + checkNotes + closing
        case .resolve?: head(.resolve) + resolveNotes + settings(SettingsTable.groups.filter { $0.title == "Resolving" }) + closing
        }
    }

    private static let overview = """
        httpdns-proxy: a forward proxy that resolves names over HTTPDNS and connects straight to the address.

        Usage:
        \(Command.allCases.map { "  \($0.usage)\n      \($0.summary)" }.joined(separator: "\n"))
          httpdns-proxy [COMMAND] --help
          httpdns-proxy --version

        """

    private static let checkNotes = """

        Prints "configuration is valid" and exits 0, or names the first fault and exits 2.
        It takes the flags of run: httpdns-proxy run --help

        """

    private static let resolveNotes = """

        Prints one line for each address: name, address, TTL in seconds, source, time.
        Exits 0 when every name has an address, else 1, with the reasons on standard error.

          --json
              Print one JSON array instead of a table.

        The flags of run are accepted as well; these matter here:

        """

    private static let closing = """

        A flag is written --flag VALUE or --flag=VALUE; one marked (repeat) may come several times.
        Each has an environment variable, HTTPDNS_PROXY_ and the name in capitals with _ for - (lists: commas),
        and a key in the file of --config, the name with _ for -. Flag beats environment beats file beats default.
        Durations: 500ms, 2s, 5m, 1h. Wrong settings end the program with status 2 before anything starts.

        """

    private static func head(_ command: Command) -> String {
        "Usage: \(command.usage)\n\n\(command.summary)\n"
    }

    private static func settings(_ groups: [SettingsTable.Group]) -> String {
        groups.map { "\n\($0.title):\n" + $0.settings.map(entry).joined() }.joined()
    }

    private static func entry(_ setting: Setting) -> String {
        let heading = setting.places.contains(.flag) ? "\(setting.flag) \(setting.kind.placeholder)" : setting.environmentName
        return "  \(heading)\(setting.isRepeatable ? " (repeat)" : "")\n"
            + "      \(setting.help)\n"
            + "      Default: \(setting.defaultValue.words).\(range(of: setting.kind).map { " Range: \($0)." } ?? "")\n"
    }

    /// Only where the placeholder does not say it all.
    private static func range(of kind: ValueKind) -> String? {
        switch kind {
        case .duration(let range): "\(DurationText.describe(range.lowerBound)) to \(DurationText.describe(range.upperBound))"
        case .bytes(let range): "\(ByteCountText.describe(range.lowerBound)) to \(ByteCountText.describe(range.upperBound))"
        case .integer: kind.allowed
        default: nil
        }
    }
}
