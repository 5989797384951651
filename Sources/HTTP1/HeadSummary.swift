/// What the field lines of a head say about the hop and the framing, gathered in one walk; the same for requests and responses.
struct HeadSummary {
    /// Index of the only Host line, -1 when there is none.
    private(set) var host = -1
    private(set) var hostCount = 0
    /// Index of the last Via line, -1 when there is none.
    private(set) var lastVia = -1
    private(set) var lengths = ContentLengths()
    private(set) var codings = TransferCodings()
    private(set) var closes = false
    private(set) var namesUpgrade = false
    private(set) var hasUpgrade = false
    /// The protocols that the Upgrade lines name, all of them in order.
    private(set) var protocols: ContiguousArray<ByteRange> = []
    private(set) var offersH2C = false
    private(set) var acceptsTrailers = false
    private(set) var hasExpect = false
    private(set) var expectsOnlyContinue = true
    private(set) var maxForwards: ByteRange?
    private(set) var maxForwardsCount = 0
    private(set) var proxyAuthorization: ByteRange?
    private(set) var proxyAuthorizationCount = 0
    private(set) var hasDate = false
    /// The fields that Connection names and that are not removed anyway.
    private(set) var options = ConnectionOptions()

    init(_ lines: ContiguousArray<FieldLine>, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        for index in lines.indices where lines[index].id != .other {
            try add(lines[index], index, bytes)
        }
        // A Date that goes away on this hop has to be replaced.
        if hasDate, options.holdDate(bytes) { hasDate = false }
    }

    private mutating func add(_ line: FieldLine, _ index: Int, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        switch line.id {
        case .host:
            host = index
            hostCount += 1
        case .via: lastVia = index
        case .contentLength: try lengths.add(line.value, bytes)
        case .transferEncoding: codings.add(line.value, bytes)
        case .connection: try addConnection(line.value, bytes)
        case .upgrade: addUpgrade(line.value, bytes)
        case .te: addTE(line.value, bytes)
        case .expect:
            hasExpect = true
            if !Bytes.equals(line.value.slice(bytes), ignoringCase: "100-continue") { expectsOnlyContinue = false }
        case .maxForwards:
            maxForwards = line.value
            maxForwardsCount += 1
        case .proxyAuthorization:
            proxyAuthorization = line.value
            proxyAuthorizationCount += 1
        case .date: hasDate = true
        default: break
        }
    }

    private mutating func addConnection(_ value: ByteRange, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        for option in ListElements(value, bytes) {
            let name = option.slice(bytes)
            if Bytes.equals(name, ignoringCase: "keep-alive") { continue }
            if Bytes.equals(name, ignoringCase: "close") {
                closes = true
            } else if Bytes.equals(name, ignoringCase: "upgrade") {
                namesUpgrade = true
            } else {
                try options.add(option, FieldName(name))
            }
        }
    }

    private mutating func addUpgrade(_ value: ByteRange, _ bytes: UnsafeRawBufferPointer) {
        hasUpgrade = true
        for product in ListElements(value, bytes) {
            protocols.append(product)
            if Bytes.equals(product.slice(bytes), ignoringCase: "h2c") { offersH2C = true }
        }
    }

    private mutating func addTE(_ value: ByteRange, _ bytes: UnsafeRawBufferPointer) {
        for coding in ListElements(value, bytes) where Bytes.equals(coding.slice(bytes), ignoringCase: "trailers") {
            acceptsTrailers = true
        }
    }
}

/// The fields that the Connection lines of a head take away on this hop (RFC 9110 section 7.6.1).
struct ConnectionOptions: Sendable {
    private var names: ContiguousArray<ByteRange> = []

    /// Every option is compared with every field, so a head may not name any number of them.
    private static let limit = 32

    var isEmpty: Bool { names.isEmpty }

    /// Takes one more option, unless the field is removed anyway or must stay.
    mutating func add(_ name: ByteRange, _ id: FieldName) throws(HeadError) {
        if id.isHopByHop || id.survivesConnection { return }
        if names.count == ConnectionOptions.limit { throw .tooManyConnectionOptions }
        names.append(name)
    }

    /// True when the field with this name is taken away.
    func contain(_ name: ByteRange, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if names.isEmpty { return false }
        let wanted = name.slice(bytes)
        for option in names where Bytes.sameToken(option.slice(bytes), wanted) { return true }
        return false
    }

    /// True when Date is taken away.
    func holdDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for option in names where Bytes.equals(option.slice(bytes), ignoringCase: "date") { return true }
        return false
    }
}

/// The protocols that an Upgrade field names, kept beyond the head that named them.
package struct UpgradeProtocols: Sendable, Equatable {
    private let names: [String]

    init(_ ranges: ContiguousArray<ByteRange>, _ bytes: UnsafeRawBufferPointer) {
        names = ranges.map { String(decoding: $0.slice(bytes), as: UTF8.self).lowercased() }
    }

    /// None.
    static let none = UpgradeProtocols([], UnsafeRawBufferPointer(start: nil, count: 0))

    /// True when there is at least one protocol here and every one is among those `offered` (RFC 9110 section 7.8).
    package func isChosen(from offered: UpgradeProtocols) -> Bool {
        !names.isEmpty && names.allSatisfy(offered.names.contains)
    }
}
