/// A rule that picks domain names.
///
/// | pattern | picks |
/// |---|---|
/// | `example.com` | that name only |
/// | `.example.com` | that name and every name below it |
/// | `*.example.com` | every name below it, not the name itself |
/// | `*` | every name |
///
/// Names match at label boundaries only, so `example.com` never picks `badexample.com`. Case and a dot at the end do not matter.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    private enum Reach: Hashable {
        case exact
        case nameAndBelow
        case below
        case everything
    }

    private let reach: Reach
    private let name: String

    /// A pattern from its text; nil when it is none of the four forms, when its name is not a valid one, or when it is an address or has a port.
    package init?(_ text: String) {
        if text == "*" {
            reach = .everything
            name = ""
            return
        }
        let below = text.hasPrefix("*.")
        let nameAndBelow = text.hasPrefix(".")
        let written = text.dropFirst(below ? 2 : nameAndBelow ? 1 : 0)
        guard let authority = try? Authority(String(written)), authority.port == nil else { return nil }
        guard case .name(let name) = authority.host else { return nil }
        reach = below ? .below : nameAndBelow ? .nameAndBelow : .exact
        self.name = name
    }

    /// Whether the pattern picks `name`, which is a canonical name as `Host.name` holds it.
    package func matches(_ name: String) -> Bool {
        switch reach {
        case .exact: name == self.name
        case .nameAndBelow: name == self.name || isBelow(name)
        case .below: isBelow(name)
        case .everything: true
        }
    }

    /// The pattern in canonical form: lower case, no dot at the end.
    package var description: String {
        switch reach {
        case .exact: name
        case .nameAndBelow: "." + name
        case .below: "*." + name
        case .everything: "*"
        }
    }

    private func isBelow(_ candidate: String) -> Bool {
        let dot = candidate.utf8.count - name.utf8.count - 1
        guard dot > 0 else { return false }
        let tail = candidate.utf8.dropFirst(dot)
        return tail.first == UInt8(ascii: ".") && tail.dropFirst().elementsEqual(name.utf8)
    }
}
