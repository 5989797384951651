import Net

extension JSONMessage {
    private enum Code {
        static let noError: Int64 = 0
        static let noSuchName: Int64 = 3
    }

    private static let cname: Int64 = 5
    private static let soa: Int64 = 6
    /// More CNAME records in a row than any name in use needs; bounds the work that an answer can cause.
    private static let longestChain = 16

    /// What the message says about `question`.
    ///
    /// Only records whose owner is the asked name, or a name that CNAME records of the same message lead to, count (RFC 1034 3.6.2,
    /// RFC 5452 6).
    func answer(to question: Question) throws(ProviderFailure) -> ProviderAnswer {
        guard !isTruncated else { throw .unreadable("the answer is truncated") }
        guard questions.allSatisfy({ $0.fits(question) }) else { throw .unreadable("the answer is for another question") }
        switch status {
        case Code.noError: return try addresses(for: question)
        case Code.noSuchName: return ProviderAnswer(outcome: .noSuchName, ttl: negativeTTL)
        default: throw .serverFailure(rcode: Int(clamping: status))
        }
    }

    private func addresses(for question: Question) throws(ProviderFailure) -> ProviderAnswer {
        var owner = question.name
        var visited: Set<String> = [owner]
        var ttl: Int64?
        while true {
            let used = answers.filter { $0.type.value == Int64(question.type.rawValue) && $0.isOwned(by: owner) }
            if !used.isEmpty {
                return ProviderAnswer(
                    outcome: .addresses(try Self.addresses(in: used, of: question.type)), ttl: used.reduce(ttl) { smaller($0, $1.lifetime) }
                )
            }
            guard let alias = answers.first(where: { $0.type.value == Self.cname && $0.isOwned(by: owner) }) else {
                return ProviderAnswer(outcome: .noRecord, ttl: negativeTTL)
            }
            guard visited.count <= Self.longestChain else { throw .unreadable("the chain of CNAME records is too long") }
            owner = canonical(alias.data ?? "")
            guard visited.insert(owner).inserted else { throw .unreadable("the CNAME records form a loop") }
            ttl = smaller(ttl, alias.lifetime)
        }
    }

    private static func addresses(in records: [Record], of type: RecordType) throws(ProviderFailure) -> [IPAddress] {
        let family: IPAddress.Family = type == .a ? .ipv4 : .ipv6
        var addresses: [IPAddress] = []
        for record in records {
            guard let address = IPAddress(record.data ?? ""), address.family == family, address.scope == 0 else {
                throw .unreadable("a record holds no \(type == .a ? "IPv4" : "IPv6") address")
            }
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    /// The smallest number that an SOA record of the authority section gives, counting its own TTL and its last field (RFC 2308 5).
    private var negativeTTL: Int64? {
        authority.reduce(nil) { ttl, record in
            guard record.type.value == Self.soa else { return ttl }
            let minimum = record.data?.split(separator: " ").dropFirst(6).first.flatMap { Int64($0) }
            return smaller(smaller(ttl, record.lifetime), minimum.map { max($0, 0) })
        }
    }
}

extension JSONMessage.Echo {
    func fits(_ question: Question) -> Bool {
        (name.map(canonical) ?? question.name) == question.name
            && (type?.value ?? Int64(question.type.rawValue)) == Int64(question.type.rawValue)
    }
}

extension JSONMessage.Record {
    /// The TTL in seconds, nil when missing; negative ones count as zero (RFC 2181 8).
    fileprivate var lifetime: Int64? { ttl.map { max($0.value, 0) } }

    fileprivate func isOwned(by owner: String) -> Bool {
        name.map { canonical($0) == owner } ?? false
    }
}

/// Lower case in ASCII alone, as names are compared (RFC 4343 3.2), without the dot that marks an absolute name.
private func canonical(_ name: String) -> String {
    var bytes = name.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
}

private func smaller(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let left else { return right }
    return right.map { min(left, $0) } ?? left
}
