// Bounds: every function takes a base address and the offsets [at, end) it may read; all loops and wide loads stay below `end`. The token
// table has 256 entries, one for each value a byte can have.

/// The byte classes of RFC 9110 section 5.6 and RFC 9112, and the loops that walk over them.
enum Bytes {
    static let tab: UInt8 = 0x09
    static let lf: UInt8 = 0x0A
    static let cr: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let comma: UInt8 = 0x2C
    static let colon: UInt8 = 0x3A

    /// "1" where the byte may stand in a token. A literal, because its address is known without a lazily made global.
    private static var tokenTable: StaticString {
        """
        0000000000000000000000000000000001011111001101101111111111000000\
        0111111111111111111111111110001111111111111111111111111111101010\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    static func isToken(_ byte: UInt8) -> Bool {
        tokenTable.utf8Start[Int(byte)] == 0x31
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func load(_ base: UnsafeRawPointer, _ at: Int) -> UInt8 {
        base.load(fromByteOffset: at, as: UInt8.self)
    }

    static func loadWord(_ base: UnsafeRawPointer, _ at: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }

    /// Offset of the first byte in [at, end) that is not part of a token, or `end`.
    static func skipToken(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        let table = tokenTable.utf8Start
        var at = at
        while at < end, table[Int(load(base, at))] == 0x31 { at += 1 }
        return at
    }

    /// Offset of the first byte in [at, end) that is neither space nor tab, or `end`.
    static func skipBlank(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        var at = at
        while at < end, isBlank(load(base, at)) { at += 1 }
        return at
    }

    /// Offset just past the last byte of [at, end) that is neither space nor tab, or `at`.
    static func trimBlank(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        var end = end
        while end > at, isBlank(load(base, end - 1)) { end -= 1 }
        return end
    }

    /// Offset of the first byte in [at, end) that cannot stand in a field value (all controls but HTAB), or `end`.
    static func skipValue(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        var at = at
        while at + 8 <= end {
            let word = loadWord(base, at)
            let below = (word &- ones &* 0x20) & ~word
            let marks = (below | isZero(word ^ (ones &* 0x7F))) & highs
            if marks == 0 {
                at += 8
                continue
            }
            // Only the lowest mark is exact, because a subtraction borrows from the bytes above it.
            at += marks.trailingZeroBitCount >> 3
            if load(base, at) != tab { return at }
            at += 1
        }
        while at < end {
            let byte = load(base, at)
            if byte < 0x20 && byte != tab || byte == 0x7F { return at }
            at += 1
        }
        return at
    }

    /// Offset of the first byte in [at, end) outside 0x21...0x7E, or `end`.
    static func skipVisible(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        var at = at
        while at + 8 <= end {
            let word = loadWord(base, at)
            let below = (word &- ones &* 0x21) & ~word
            let marks = (below | word | isZero(word ^ (ones &* 0x7F))) & highs
            if marks != 0 { return at + marks.trailingZeroBitCount >> 3 }
            at += 8
        }
        while at < end, load(base, at) > 0x20, load(base, at) < 0x7F { at += 1 }
        return at
    }

    /// Offset of the first `byte` in [at, end), or `end`.
    static func find(_ byte: UInt8, _ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        let pattern = ones &* UInt64(byte)
        var at = at
        while at + 8 <= end {
            let marks = isZero(loadWord(base, at) ^ pattern) & highs
            if marks != 0 { return at + marks.trailingZeroBitCount >> 3 }
            at += 8
        }
        while at < end, load(base, at) != byte { at += 1 }
        return at
    }

    /// Sets the high bit of each byte that is zero; marks above the lowest one may be wrong.
    private static func isZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }

    /// True when the `count` bytes at `base` are `text`, which must be in lower case, in any mixture of cases.
    ///
    /// Setting bit 5 also maps a few bytes that are no token onto letters' neighbours, never onto a letter, digit or hyphen of
    /// `text` other than the controls 0x0D and 0x10...0x19; callers compare tokens, which hold no controls.
    static func equals(_ base: UnsafeRawPointer, _ count: Int, ignoringCase text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let wanted = UnsafeRawPointer(text.utf8Start)
        guard count >= 8 else {
            for at in 0..<count where load(base, at) | 0x20 != load(wanted, at) { return false }
            return true
        }
        var at = 0
        while at + 8 <= count {
            if loadWord(base, at) | ones &* 0x20 != loadWord(wanted, at) { return false }
            at += 8
        }
        return loadWord(base, count - 8) | ones &* 0x20 == loadWord(wanted, count - 8)
    }

    /// True when the bytes are `text`, which must be in lower case, in any mixture of cases.
    static func equals(_ bytes: UnsafeRawBufferPointer, ignoringCase text: StaticString) -> Bool {
        guard let base = bytes.baseAddress else { return text.utf8CodeUnitCount == 0 }
        return equals(base, bytes.count, ignoringCase: text)
    }

    /// True when both are the same token in any mixture of cases.
    static func sameToken(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        for at in 0..<one.count where lowered(one[at]) != lowered(other[at]) { return false }
        return true
    }

    /// True when both hold the same bytes.
    static func same(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard let first = one.baseAddress, let second = other.baseAddress else { return one.count == other.count }
        guard one.count == other.count else { return false }
        var at = 0
        while at + 8 <= one.count {
            if loadWord(first, at) != loadWord(second, at) { return false }
            at += 8
        }
        while at < one.count {
            if load(first, at) != load(second, at) { return false }
            at += 1
        }
        return true
    }

    static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
