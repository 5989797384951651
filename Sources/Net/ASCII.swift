extension UInt8 {
    var decimalDigit: UInt32? {
        let digit = self &- UInt8(ascii: "0")
        return digit < 10 ? UInt32(digit) : nil
    }

    var hexDigit: UInt32? {
        if let digit = decimalDigit { return digit }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? UInt32(letter) + 10 : nil
    }

    var isUpperCase: Bool { self &- UInt8(ascii: "A") < 26 }

    var lowerCased: UInt8 { isUpperCase ? self | 0x20 : self }

    /// A byte that may stand in a host name: letter, digit, "-", "_" or ".". One bit per ASCII byte, because every request asks this for
    /// every byte of its host.
    var isHostByte: Bool {
        let low: UInt64 = 1 << 45 | 1 << 46 | 0x3ff << 48
        let high: UInt64 = 0x3ff_ffff << 1 | 1 << 31 | 0x3ff_ffff << 33
        let bits = self < 64 ? low : high
        return self < 128 && bits >> UInt64(self & 63) & 1 == 1
    }
}
