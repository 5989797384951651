/// What the program can be asked to do.
enum Command: String, CaseIterable, Sendable {
    case run, resolve, check

    var summary: String {
        switch self {
        case .run: "Run the proxy in the foreground until SIGTERM (this is the default command)."
        case .resolve: "Resolve names as the proxy would, print the addresses and end."
        case .check: "Read and check all settings, start nothing."
        }
    }

    var usage: String {
        switch self {
        case .run: "httpdns-proxy [run] [flags]"
        case .resolve: "httpdns-proxy resolve NAME... [--json] [flags]"
        case .check: "httpdns-proxy check [flags]"
        }
    }
}
