/// Why a chunked body was refused (RFC 9112 section 7.1).
package enum ChunkError: Error, Equatable, CaseIterable {
    case badSize, sizeOverflow, lineTooLong, missingCRLF, badExtension, badTrailer, trailersTooLarge

    /// One line that names the fault, without any byte of the message, without a capital or a full stop.
    package var sentence: String {
        switch self {
        case .badSize: "a chunk size is not a hexadecimal number"
        case .sizeOverflow: "a chunk size is too large"
        case .lineTooLong: "the line of a chunk size is too long"
        case .missingCRLF: "a chunk or its size is not followed by a line end"
        case .badExtension: "a chunk extension holds a control byte"
        case .badTrailer: "a trailer field is not valid"
        case .trailersTooLarge: "the trailer section is too large"
        }
    }
}
