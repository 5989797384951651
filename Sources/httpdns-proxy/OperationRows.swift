import ProxyServer

/// What the proxy writes, and where it reads its settings.
extension SettingsTable {
    static let operationRows: [Setting] = [
        .one(
            "access-log", .logTarget, default: .text("-"), to: \.proxy.accessLog,
            help: "Where the line for each request goes."
        ) { (text, _) throws(ValueProblem) in
            try logTarget(text)
        },
        .choice(
            "log-level", ["error": .error, "warning": .warning, "info": .info, "debug": .debug], default: "info",
            to: \.proxy.logLevel, help: "The least important diagnostics still written to standard error."),
        .one(
            "config", .settingsFile, default: .described("none"), to: \.configurationFile, places: [.flag, .environment],
            help: "File with settings; flags and environment variables override it."
        ) { (path, _) throws(ValueProblem) in
            path
        },
    ]

    private static func logTarget(_ text: String) throws(ValueProblem) -> AccessLogTarget {
        switch text {
        case "-": return .standardOutput
        case "off": return .off
        case "": throw ValueProblem("is not a place for the log")
        default: return .file(text)
        }
    }
}
