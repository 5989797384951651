/// Sizes as people write them in settings: a whole number of bytes, or of KiB or MiB.
enum ByteCountText {
    private static let units: [(suffix: String, bytes: Int)] = [("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)]

    /// `8192`, `8KiB` or `1MiB`; nil for anything else, also for numbers too large to hold.
    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = units.first(where: { $0.suffix == text.dropFirst(digits.count) }) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
        return overflow ? nil : bytes
    }

    /// The shortest exact spelling: 8192 becomes `8KiB`, 1000 stays `1000`.
    static func describe(_ bytes: Int) -> String {
        for unit in units where bytes >= unit.bytes && bytes.isMultiple(of: unit.bytes) {
            return "\(bytes / unit.bytes)\(unit.suffix)"
        }
        return "\(bytes)"
    }
}
