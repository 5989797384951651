// Bounds: reads stay at offsets below `end`.

/// Reads `HTTP/d.d` (RFC 9112 section 2.3) byte by byte as it comes, or at once when all of it is there.
struct VersionScanner {
    /// How many of the eight bytes have been read.
    private var read = 0
    private var major: UInt8 = 0
    /// The second digit.
    private(set) var minor: UInt8 = 0

    /// "HTTP/1." in the order of a little-endian load; the eighth byte is the minor digit.
    private static let word: UInt64 = 0x002E_312F_5054_5448
    private static let mask: UInt64 = 0x00FF_FFFF_FFFF_FFFF

    /// Reads on at `position` and moves it; true once the version is whole. Anything else than a version of major 1 throws:
    /// `fault` when it is none, `.versionNotSupported` when only the major digit is another.
    mutating func next(_ base: UnsafeRawPointer, _ position: inout Int, _ end: Int, fault: HeadError) throws(HeadError) -> Bool {
        if read == 0, position + 8 <= end {
            let word = Bytes.loadWord(base, position)
            let digit = UInt8(truncatingIfNeeded: word >> 56) &- 0x30
            if word & VersionScanner.mask == VersionScanner.word, digit <= 9 {
                minor = digit
                position += 8
                return true
            }
        }
        while position < end {
            guard take(Bytes.load(base, position)) else { throw fault }
            position += 1
            read += 1
            if read == 8 {
                guard major == 1 else { throw .versionNotSupported }
                return true
            }
        }
        return false
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        switch read {
        case 0: return byte == UInt8(ascii: "H")
        case 1, 2: return byte == UInt8(ascii: "T")
        case 3: return byte == UInt8(ascii: "P")
        case 4: return byte == UInt8(ascii: "/")
        case 6: return byte == UInt8(ascii: ".")
        default:
            guard byte >= 0x30 && byte <= 0x39 else { return false }
            if read == 5 { major = byte - 0x30 } else { minor = byte - 0x30 }
            return true
        }
    }
}
