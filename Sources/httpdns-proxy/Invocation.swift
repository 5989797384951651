import Net
import ProxyServer

/// What a command line, an environment and a file together ask for; deciding it starts nothing.
enum Invocation {
    case show(String)
    case run(SettingsLoader.Loaded)
    case check(SettingsLoader.Loaded)
    case resolve(names: [String], asJSON: Bool, SettingsLoader.Loaded)

    /// `words` are the arguments without the program's own name.
    static func decide(_ words: [String], environment: [String: String], files: FileAccess) throws(UsageError) -> Invocation {
        switch CommandArguments.wish(in: words) {
        case .help: return .show(HelpText.page(for: CommandArguments.command(in: words)))
        case .version: return .show("httpdns-proxy \(Version.current)\n")
        case nil: break
        }
        let arguments = try CommandArguments(words)
        let loaded = try SettingsLoader(environment: environment, files: files).load(flags: arguments.flags)
        switch arguments.command ?? .run {
        case .run: return .run(loaded)
        case .check: return .check(loaded)
        case .resolve: return .resolve(names: try canonical(arguments.names), asJSON: arguments.wantsJSON, loaded)
        }
    }

    private static func canonical(_ names: [String]) throws(UsageError) -> [String] {
        var result: [String] = []
        for name in names {
            result.append(try canonical(name))
        }
        return result
    }

    /// An IPv6 address may come without the brackets that only a port makes necessary.
    private static func canonical(_ name: String) throws(UsageError) -> String {
        if let address = IPAddress(name) { return address.description }
        let authority: Authority
        do throws(AuthorityError) {
            authority = try Authority(name)
        } catch {
            throw UsageError("resolve: \(Quoted.value(name)) is not a name (\(error.sentence)); allowed: a name such as www.example.com")
        }
        guard authority.port == nil else {
            throw UsageError("resolve: \(Quoted.value(name)) has a port; allowed: a name or an address alone")
        }
        return authority.host.text
    }
}
