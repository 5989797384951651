import FoundationEssentials
import Glibc
import Net
import ProxyServer

/// The program: decides what was asked for, does it, and ends with 0 (done), 1 (a name did not resolve) or 2 (not started).
@main
struct Main {
    static func main() {
        exit(perform(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
    }

    private static func perform(_ words: [String], environment: [String: String]) -> Int32 {
        do throws(UsageError) {
            switch try Invocation.decide(words, environment: environment, files: .system) {
            case .show(let text):
                Output.standardOutput.write(text)
                return 0
            case .check(let loaded):
                warn(loaded)
                Output.standardOutput.write("configuration is valid\n")
                return 0
            case .resolve(let names, let asJSON, let loaded):
                warn(loaded)
                return resolve(names, asJSON, loaded.configuration)
            case .run(let loaded):
                warn(loaded)
                return run(loaded.configuration)
            }
        } catch {
            Output.standardError.write("httpdns-proxy: \(error.sentence)\n")
            return 2
        }
    }

    private static func warn(_ loaded: SettingsLoader.Loaded) {
        for warning in loaded.warnings {
            Output.standardError.write("httpdns-proxy: warning: \(warning)\n")
        }
    }

    private static func run(_ configuration: ProxyConfiguration) -> Int32 {
        do throws(StartupError) {
            return try ProxyServer.run(configuration, version: Version.current)
        } catch {
            Output.standardError.write("httpdns-proxy: \(error.sentence)\n")
            return 2
        }
    }

    private static func resolve(_ names: [String], _ asJSON: Bool, _ configuration: ProxyConfiguration) -> Int32 {
        do throws(StartupError) {
            let report = ResolveReport(results: try ResolveCommand.resolve(names: names, configuration: configuration))
            Output.standardOutput.write(asJSON ? report.json : report.table)
            Output.standardError.write(report.failureLines)
            return report.exitStatus
        } catch {
            Output.standardError.write("httpdns-proxy: \(error.sentence)\n")
            return 2
        }
    }
}
