/// Durations as people write them in settings: a whole number and a unit, or a bare 0.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    /// `500ms`, `2s`, `5m`, `24h` or `0`; nil for anything else, also for numbers too large to hold.
    static func parse(_ text: String) -> Duration? {
        if text == "0" { return .zero }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let unit = units.first(where: { $0.suffix == text.dropFirst(digits.count) }) else { return nil }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// The shortest exact spelling: 90s stays `90s`, 120s becomes `2m`. One minute is `60s`, as timeouts are usually written.
    static func describe(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "0s" }
        if milliseconds == 60_000 { return "60s" }
        for unit in units.reversed() where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }
}
