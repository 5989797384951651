import Net

// Bounds: offsets run inside the target's range, which `ByteRange.slice` has checked against the head.

/// The request target, taken apart once; nothing else reads it again (RFC 9112 section 3.2).
struct RequestTarget {
    let form: RequestHead.Target
    let authority: Authority?
    let authorityRange: ByteRange
    let pathRange: ByteRange

    init(_ range: ByteRange, _ method: Method, _ bytes: UnsafeRawBufferPointer) throws(HeadError) {
        let target = range.slice(bytes)
        guard let base = target.baseAddress, target.count > 0 else { throw .malformedRequestLine }
        let end = target.count
        guard Bytes.find(UInt8(ascii: "#"), base, 0, end) == end else { throw .fragmentInTarget }
        guard method != .connect else {
            guard Bytes.find(UInt8(ascii: "/"), base, 0, end) == end else { throw .methodTargetMismatch }
            let authority = try RequestTarget.authority(target)
            guard authority.port != nil else { throw .missingPort }
            self.init(form: .authority, authority: authority, authorityRange: range, pathRange: ByteRange(Int(range.end), Int(range.end)))
            return
        }
        if target[0] == UInt8(ascii: "/") {
            self.init(form: .origin, authority: nil, authorityRange: .empty, pathRange: range)
        } else if target[0] == UInt8(ascii: "*"), end == 1 {
            guard method == .options else { throw .methodTargetMismatch }
            self.init(form: .asterisk, authority: nil, authorityRange: .empty, pathRange: .empty)
        } else {
            try self.init(absolute: range, target)
        }
    }

    private init(form: RequestHead.Target, authority: Authority?, authorityRange: ByteRange, pathRange: ByteRange) {
        self.form = form
        self.authority = authority
        self.authorityRange = authorityRange
        self.pathRange = pathRange
    }

    private init(absolute range: ByteRange, _ target: UnsafeRawBufferPointer) throws(HeadError) {
        let isHTTPS = RequestTarget.has(target, prefix: "https://")
        guard isHTTPS || RequestTarget.has(target, prefix: "http://") else { throw RequestTarget.schemeFault(target) }
        let start = isHTTPS ? 8 : 7
        var end = start
        while end < target.count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") { end += 1 }
        let authority = try RequestTarget.authority(UnsafeRawBufferPointer(rebasing: target[start..<end]))
        let offset = Int(range.start)
        self.init(
            form: .absolute(https: isHTTPS), authority: authority, authorityRange: ByteRange(offset + start, offset + end),
            pathRange: ByteRange(offset + end, Int(range.end)))
    }

    private static func authority(_ bytes: UnsafeRawBufferPointer) throws(HeadError) -> Authority {
        do {
            return try Authority(parsing: bytes.assumingMemoryBound(to: UInt8.self).span)
        } catch {
            throw .badAuthority(error)
        }
    }

    /// The prefix must be in lower case; the scheme before it may be written in any (RFC 9110 section 4.2.3).
    private static func has(_ target: UnsafeRawBufferPointer, prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        return target.count >= count && Bytes.equals(UnsafeRawBufferPointer(rebasing: target[..<count]), ignoringCase: prefix)
    }

    /// Another scheme when "://" follows letters; otherwise the target has a form that only CONNECT may use, or none at all.
    private static func schemeFault(_ target: UnsafeRawBufferPointer) -> HeadError {
        guard let colon = target.firstIndex(of: Bytes.colon), colon > 0, colon + 2 < target.count else { return .methodTargetMismatch }
        let isScheme = target[colon + 1] == UInt8(ascii: "/") && target[colon + 2] == UInt8(ascii: "/")
        return isScheme ? .schemeUnsupported : .methodTargetMismatch
    }
}

extension HeadError {
    /// The fault of a Host value, nil when it is a valid host[:port].
    static func ofHost(_ value: UnsafeRawBufferPointer) -> HeadError? {
        do {
            _ = try Authority(parsing: value.assumingMemoryBound(to: UInt8.self).span)
            return nil
        } catch {
            return .badHost(error)
        }
    }
}
