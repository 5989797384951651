// Bounds: offsets stay inside the value of a Via line, which `slice` has checked against the head.

extension Forwarding {
    /// Writes "Via: 1.d pseudonym" as a line of its own; the version is the one received (RFC 9110 section 7.6.3).
    static func appendVia(_ minorVersion: UInt8, _ pseudonym: String, to buffer: ByteBuffer) {
        buffer.append("Via: 1.")
        buffer.append(byte: minorVersion + 0x30)
        buffer.append(byte: Bytes.space)
        buffer.append(pseudonym)
        buffer.append("\r\n")
    }

    /// True when a Via line says that the message already passed a proxy called `pseudonym` (RFC 9110 section 7.6.3): it loops.
    ///
    /// Commas inside comments are taken for separators too. That can at worst refuse a message whose comment spells out the
    /// pseudonym like an entry; honouring comments would let one that is never closed hide the entries after it.
    package static func viaNames(_ pseudonym: String, _ parser: HeadParser, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var pseudonym = pseudonym
        return pseudonym.withUTF8 { name in
            for line in parser.fields where line.id == .via {
                for entry in ListElements(line.value, bytes) {
                    if Bytes.sameToken(receivedBy(entry.slice(bytes)), UnsafeRawBufferPointer(name)) { return true }
                }
            }
            return false
        }
    }

    /// The second word of an entry of the form `protocol received-by (comment)`.
    private static func receivedBy(_ entry: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let base = entry.baseAddress else { return entry }
        let start = Bytes.skipBlank(base, skipWord(base, 0, entry.count), entry.count)
        return UnsafeRawBufferPointer(rebasing: entry[start..<skipWord(base, start, entry.count)])
    }

    private static func skipWord(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> Int {
        var at = at
        while at < end, !Bytes.isBlank(Bytes.load(base, at)), Bytes.load(base, at) != UInt8(ascii: "(") { at += 1 }
        return at
    }
}
