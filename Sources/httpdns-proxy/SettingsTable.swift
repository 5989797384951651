/// All settings. Flags, environment variables, keys of the file, help, the README and the commented sample file follow from these rows.
enum SettingsTable {
    struct Group: Sendable {
        let title: String
        let settings: [Setting]
    }

    static let groups: [Group] = [
        Group(title: "Clients", settings: clientRows),
        Group(title: "Resolving", settings: resolvingRows),
        Group(title: "Destinations", settings: destinationRows),
        Group(title: "Times and sizes", settings: limitRows),
        Group(title: "Logs and configuration", settings: operationRows),
    ]

    static let all: [Setting] = groups.flatMap(\.settings)

    static func setting(flag: String) -> Setting? {
        all.first { $0.flag == flag && $0.places.contains(.flag) }
    }

    static func setting(fileKey: String) -> Setting? {
        all.first { $0.fileKey == fileKey && $0.places.contains(.file) }
    }
}
