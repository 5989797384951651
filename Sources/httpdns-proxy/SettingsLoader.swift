import ProxyServer

/// Puts the layers on top of each other: default, file, environment, flag. Every layer is checked, also where a later one overrides it.
struct SettingsLoader {
    /// One setting as one place gives it.
    struct Given {
        let setting: Setting
        let values: [String]
        /// How the place is called in a message: `--ca`, `HTTPDNS_PROXY_CA` or `proxy.json:4: ca`.
        let place: String
    }

    struct Loaded {
        let configuration: ProxyConfiguration
        /// Sentences about things that are no errors but most likely mistakes.
        let warnings: [String]
    }

    let environment: [String: String]
    let files: FileAccess

    func load(flags: [Given]) throws(UsageError) -> Loaded {
        let variables = environmentValues()
        var settings = Settings()
        if let file = (flags + variables).first(where: { $0.setting.kind == .settingsFile }) {
            try apply([file], to: &settings)
        }
        let defaults = SettingsTable.all.compactMap { setting -> Given? in
            guard case .text(let text) = setting.defaultValue else { return nil }
            return Given(setting: setting, values: [text], place: setting.flag)
        }
        var ranks: [String: Int] = [:]
        for (rank, layer) in [defaults, try fileValues(settings.configurationFile, flags + variables), variables, flags].enumerated() {
            try apply(layer, to: &settings)
            for given in layer { ranks[given.setting.name] = rank }
        }
        return Loaded(configuration: try settings.configuration(ranks: ranks), warnings: misspelledVariables())
    }

    private func apply(_ layer: [Given], to settings: inout Settings) throws(UsageError) {
        for given in layer {
            do throws(Setting.Refusal) {
                try given.setting.apply(&settings, given.values, files)
            } catch {
                throw Self.sentence(error, given)
            }
        }
    }

    private static func sentence(_ refusal: Setting.Refusal, _ given: Given) -> UsageError {
        let kind = given.setting.kind
        let value = kind.isSecret ? "the value" : Quoted.value(refusal.value)
        return UsageError("\(given.place): \(value) \(refusal.problem.finding); allowed: \(kind.allowed)")
    }

    /// An empty variable counts as absent: compose files and shells pass on variables that were never filled in.
    private func environmentValues() -> [Given] {
        SettingsTable.all.compactMap { setting in
            guard setting.places.contains(.environment), let text = environment[setting.environmentName], !text.isEmpty else { return nil }
            let values = setting.isRepeatable ? text.split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty } : [text]
            return values.isEmpty ? nil : Given(setting: setting, values: values, place: setting.environmentName)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        guard let last = start.lastIndex(where: { $0 != " " }) else { return "" }
        return String(start[...last])
    }

    private func fileValues(_ path: String?, _ given: [Given]) throws(UsageError) -> [Given] {
        guard let path else { return [] }
        let content: [UInt8]
        do throws(ValueProblem) {
            content = try files.read(path, 1 << 20)
        } catch {
            let place = given.first { $0.setting.kind == .settingsFile }?.place ?? "--config"
            throw UsageError("\(place): \(Quoted.value(path)) \(error.finding); allowed: \(ValueKind.settingsFile.allowed)")
        }
        return try ConfigurationFile(name: path, content: content).values()
    }

    /// Other variables with our prefix can be there rightly (Kubernetes makes some from a service's name), so only near misses are named.
    private func misspelledVariables() -> [String] {
        let names = SettingsTable.all.filter { $0.places.contains(.environment) }.map(\.environmentName)
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("HTTPDNS_PROXY_"), !names.contains(name) else { return nil }
            let near = names.filter { ClosestName.distance(Array($0.utf8), Array(name.utf8)) <= 2 }
            guard let meant = ClosestName.suggestion(for: name, among: near) else { return nil }
            return "\(name): there is no such setting, the variable is ignored; did you mean \(meant)?"
        }
    }
}
