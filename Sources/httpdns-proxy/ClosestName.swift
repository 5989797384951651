/// Finds what somebody probably meant when a name does not exist.
enum ClosestName {
    /// The nearest of `candidates`, or nil when none is near enough to be worth naming.
    static func suggestion(for name: String, among candidates: [String]) -> String? {
        let limit = max(2, name.utf8.count / 4)
        let ranked = candidates.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }), best.distance <= limit,
            best.distance < name.utf8.count
        else { return nil }
        return best.name
    }

    /// Edit distance in which insertion, deletion, replacement and swapping two neighbours cost one each.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var older: [Int] = []
        var previous = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            for j in right.indices {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, older[j - 1] + 1)
                }
                current.append(cost)
            }
            (older, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
