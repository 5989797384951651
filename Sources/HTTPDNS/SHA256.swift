import CCrypto

/// The SHA-256 digest of a text's UTF-8 bytes as 64 lower-case hex digits; nil when the system's cryptography cannot compute it.
func sha256Hex(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    guard ccrypto_sha256(bytes, bytes.count, &digest) == 1 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    var hex: [UInt8] = []
    hex.reserveCapacity(64)
    for byte in digest {
        hex.append(digits[Int(byte >> 4)])
        hex.append(digits[Int(byte & 0xf)])
    }
    return String(decoding: hex, as: UTF8.self)
}
