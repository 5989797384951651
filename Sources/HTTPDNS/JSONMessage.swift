import FoundationEssentials

/// A DNS message as the JSON APIs write it: header flags, question and records, with the looseness that real servers show.
struct JSONMessage: Decodable {
    /// One resource record.
    struct Record: Decodable {
        let name: String?
        let type: LooseInteger
        let ttl: LooseInteger?
        let data: String?

        private enum CodingKeys: String, CodingKey {
            case name, type, data
            case ttl = "TTL"
        }
    }

    /// The echo of a question.
    struct Echo: Decodable {
        let name: String?
        let type: LooseInteger?
    }

    let status: Int64
    let isTruncated: Bool
    let questions: [Echo]
    let answers: [Record]
    let authority: [Record]

    private enum CodingKeys: String, CodingKey {
        case status = "Status"
        case truncated = "TC"
        case question = "Question"
        case answer = "Answer"
        case authority = "Authority"
    }

    /// Reads a body; anything that is not such an object is unreadable.
    init(parsing body: [UInt8]) throws(ProviderFailure) {
        guard !body.isEmpty else { throw .unreadable("the body is empty") }
        do {
            self = try JSONDecoder().decode(JSONMessage.self, from: Data(body))
        } catch {
            throw .unreadable("the body is no DNS message in JSON")
        }
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        status = try object.decode(LooseInteger.self, forKey: .status).value
        isTruncated = try object.decodeIfPresent(LooseBool.self, forKey: .truncated)?.value ?? false
        questions = try object.decodeIfPresent(OneOrMany<Echo>.self, forKey: .question)?.values ?? []
        answers = try object.decodeIfPresent([Record].self, forKey: .answer) ?? []
        authority = try object.decodeIfPresent([Record].self, forKey: .authority) ?? []
    }
}

/// A whole number, written as a number or as text.
struct LooseInteger: Decodable {
    let value: Int64

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            value = number
            return
        }
        guard let number = Int64(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a whole number")
        }
        value = number
    }
}

/// A truth value, written as one, as 0 or 1, or as text of either.
private struct LooseBool: Decodable {
    let value: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            value = flag
        } else if let text = try? container.decode(String.self), text == "true" || text == "false" {
            value = text == "true"
        } else {
            value = try LooseInteger(from: decoder).value != 0
        }
    }
}

/// An element alone or a list of them.
private struct OneOrMany<Element: Decodable>: Decodable {
    let values: [Element]

    init(from decoder: any Decoder) throws {
        if let list = try? [Element](from: decoder) {
            values = list
        } else {
            values = [try Element(from: decoder)]
        }
    }
}
