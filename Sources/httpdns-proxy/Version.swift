/// The version this program reports, in semantic versioning.
enum Version {
    static let current = "0.1.0"
}
