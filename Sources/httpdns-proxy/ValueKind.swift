/// What a setting's value may look like. Help, error messages, the file's types and the README's table are worded from it.
enum ValueKind: Sendable, Equatable {
    case duration(ClosedRange<Duration>)
    case integer(ClosedRange<Int>)
    case bytes(ClosedRange<Int>)
    case choice([String])
    case address
    case prefix
    case serviceURL
    case proxyURL
    case namePattern
    case identifier
    case secret
    case secretFile
    case certificateFile
    case settingsFile
    case logTarget

    /// Stands for the value in help: `--connect-timeout DURATION`.
    var placeholder: String {
        switch self {
        case .duration: "DURATION"
        case .integer: "N"
        case .bytes: "SIZE"
        case .choice(let names): names.joined(separator: "|")
        case .address: "ADDRESS:PORT"
        case .prefix: "CIDR"
        case .serviceURL, .proxyURL: "URL"
        case .namePattern: "PATTERN"
        case .identifier: "ID"
        case .secret: "SECRET"
        case .secretFile, .certificateFile, .settingsFile: "FILE"
        case .logTarget: "-|off|FILE"
        }
    }

    /// Completes the sentence `"abc" is not ...`.
    var noun: String {
        switch self {
        case .duration: "a duration"
        case .integer: "a whole number"
        case .bytes: "a size"
        case .choice: "one of the choices"
        case .address: "an address with a port"
        case .prefix: "an address range"
        case .serviceURL: "the URL of a service"
        case .proxyURL: "the URL of a proxy"
        case .namePattern: "a name pattern"
        case .identifier: "an identifier"
        case .secret: "a secret"
        case .secretFile, .certificateFile, .settingsFile: "a file"
        case .logTarget: "a place for the log"
        }
    }

    /// The allowed range or form, without a full stop.
    var allowed: String {
        switch self {
        case .duration(let range):
            "\(DurationText.describe(range.lowerBound)) to \(DurationText.describe(range.upperBound)), such as \(Self.examples(in: range))"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .bytes(let range):
            "\(ByteCountText.describe(range.lowerBound)) to \(ByteCountText.describe(range.upperBound)), such as 8192 or 8KiB"
        case .choice(let names): names.joined(separator: ", ")
        case .address: "ADDRESS:PORT with port 1 to 65535, such as 127.0.0.1:3128 or [::1]:3128"
        case .prefix: "an address or CIDR range, such as 10.0.0.0/8 or 2001:db8::/32"
        case .serviceURL: "http:// or https:// with host and optional port, such as https://dns.alidns.com"
        case .proxyURL: "http://, https://, socks5:// or socks5h:// with host and optional port, USER:PASSWORD@ before the host if needed"
        case .namePattern: "example.com (that name), .example.com (it and all below), *.example.com (only below) or *"
        case .identifier, .secret: "1 to 256 printable ASCII characters without spaces"
        case .secretFile: "a readable file that holds the secret on one line"
        case .certificateFile: "a readable PEM file with at least one certificate"
        case .settingsFile: "a readable JSON5 file"
        case .logTarget: "- (standard output), off, or the name of a file"
        }
    }

    private static func examples(in range: ClosedRange<Duration>) -> String {
        [Duration.milliseconds(500), .seconds(2), .seconds(300)].filter(range.contains).map(DurationText.describe).joined(separator: ", ")
    }

    /// True when not even a wrong value may be shown.
    var isSecret: Bool {
        self == .secret
    }
}
