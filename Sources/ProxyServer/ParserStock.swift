import HTTP1

/// A worker's parsers, which keep their tables between uses.
final class ParserStock {
    private let limits: HeadLimits
    private var requests: [HeadParser] = []
    private var responses: [HeadParser] = []
    private static let kept = 64

    init(limits: HeadLimits) { self.limits = limits }

    func takeRequestParser() -> HeadParser { requests.popLast() ?? HeadParser(.request, limits: limits) }

    func takeResponseParser() -> HeadParser { responses.popLast() ?? HeadParser(.response, limits: limits) }

    func giveBack(_ parser: HeadParser) {
        parser.reset()
        switch parser.kind {
        case .request: if requests.count < ParserStock.kept { requests.append(parser) }
        case .response: if responses.count < ParserStock.kept { responses.append(parser) }
        }
    }
}
