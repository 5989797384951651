/// The place of a value among the settings.
typealias SettingPath<Value> = any WritableKeyPath<Settings, Value> & Sendable

/// One row of the table of settings: everything the program knows about a setting, in one place.
struct Setting: Sendable {
    /// Where a setting can be given. Secrets have no flag, because a command line is readable by other users of the host.
    enum Place: Sendable {
        case flag, environment, file
    }

    enum Default: Sendable, Equatable {
        /// Applied as if it had been typed.
        case text(String)
        /// Chosen at start by the program; the words say how.
        case described(String)

        var words: String {
            switch self {
            case .text(let text), .described(let text): text
            }
        }
    }

    /// A value that was refused, and why.
    struct Refusal: Error {
        let value: String
        let problem: ValueProblem
    }

    typealias Apply = @Sendable (inout Settings, [String], FileAccess) throws(Refusal) -> Void

    /// The name as a flag without the dashes in front: `connect-timeout`.
    let name: String
    let kind: ValueKind
    let defaultValue: Default
    /// One sentence for a person.
    let help: String
    let isRepeatable: Bool
    let places: Set<Place>
    let apply: Apply

    var flag: String { "--" + name }
    var fileKey: String { String(name.map { $0 == "-" ? "_" : $0 }) }
    var environmentName: String { "HTTPDNS_PROXY_" + fileKey.uppercased() }
}

extension Setting {
    /// A setting with one value; giving it twice in one place is an error.
    static func one<Value: Sendable>(
        _ name: String, _ kind: ValueKind, default defaultValue: Default, to path: SettingPath<Value>,
        places: Set<Place> = [.flag, .environment, .file], help: String,
        parse: @escaping @Sendable (String, FileAccess) throws(ValueProblem) -> Value
    ) -> Setting {
        Setting(
            name: name, kind: kind, defaultValue: defaultValue, help: help, isRepeatable: false, places: places,
            apply: { (settings, values, files) throws(Refusal) in
                for value in values {
                    settings[keyPath: path] = try parsed(value, files, parse)
                }
            })
    }

    /// A setting with any number of values; the most specific place that gives it gives the whole list.
    static func list<Value: Sendable>(
        _ name: String, _ kind: ValueKind, default defaultValue: Default, to path: SettingPath<[Value]>, help: String,
        parse: @escaping @Sendable (String, FileAccess) throws(ValueProblem) -> Value
    ) -> Setting {
        Setting(
            name: name, kind: kind, defaultValue: defaultValue, help: help, isRepeatable: true, places: [.flag, .environment, .file],
            apply: { (settings, values, files) throws(Refusal) in
                var list: [Value] = []
                for value in values {
                    list.append(try parsed(value, files, parse))
                }
                settings[keyPath: path] = list
            })
    }

    private static func parsed<Value>(
        _ value: String, _ files: FileAccess, _ parse: (String, FileAccess) throws(ValueProblem) -> Value
    ) throws(Refusal) -> Value {
        do throws(ValueProblem) {
            return try parse(value, files)
        } catch {
            throw Refusal(value: value, problem: error)
        }
    }
}
