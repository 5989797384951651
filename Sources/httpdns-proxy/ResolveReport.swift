import HTTPDNS
import Net
import ProxyServer

/// The outcome of `resolve` as a person or a script reads it.
struct ResolveReport {
    let results: [ResolvedName]

    /// 0 when every name has an address, else 1.
    var exitStatus: Int32 {
        failures.isEmpty ? 0 : 1
    }

    /// One line for each name that could not be resolved.
    var failureLines: String {
        failures.map { "httpdns-proxy: \($0.name): \($0.reason.sentence)\n" }.joined()
    }

    /// Columns of equal width under a heading; nothing when no name was resolved.
    var table: String {
        var rows = [["name", "address", "ttl", "source", "time"]]
        for result in results {
            guard case .success(let resolution) = result.result else { continue }
            for address in resolution.addresses {
                rows.append([
                    result.name, address.description, "\(Self.wholeSeconds(resolution.ttl))", resolution.source.rawValue,
                    "\(Self.milliseconds(resolution.elapsed))ms",
                ])
            }
        }
        guard rows.count > 1 else { return "" }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { Self.line($0, widths) }.joined()
    }

    /// One array with one object for each name, in the order asked.
    var json: String {
        "[" + results.map(Self.object).joined(separator: ",\n ") + "]\n"
    }

    private var failures: [(name: String, reason: ResolutionFailure)] {
        results.compactMap { result in
            guard case .failure(let reason) = result.result else { return nil }
            return (result.name, reason)
        }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            text += cell
            if column < cells.count - 1 {
                text += String(repeating: " ", count: widths[column] - cell.count + 2)
            }
        }
        return text + "\n"
    }

    private static func object(_ result: ResolvedName) -> String {
        let name = quoted(result.name)
        switch result.result {
        case .success(let resolution):
            let addresses = resolution.addresses.map { quoted($0.description) }.joined(separator: ",")
            return "{\"name\":\(name),\"addresses\":[\(addresses)],\"ttl\":\(wholeSeconds(resolution.ttl)),"
                + "\"source\":\(quoted(resolution.source.rawValue)),\"time_ms\":\(milliseconds(resolution.elapsed)),\"error\":null}"
        case .failure(let reason):
            return "{\"name\":\(name),\"addresses\":[],\"ttl\":null,\"source\":null,\"time_ms\":null,\"error\":\(quoted(reason.sentence))}"
        }
    }

    private static func wholeSeconds(_ duration: Duration) -> Int64 {
        duration.components.seconds
    }

    /// Rounded to a tenth.
    private static func milliseconds(_ duration: Duration) -> Double {
        (duration.milliseconds * 10).rounded() / 10
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
