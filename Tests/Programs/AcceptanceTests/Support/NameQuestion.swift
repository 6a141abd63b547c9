/// A question to a name server: a DNS message with one question (RFC 1035 §4.1).
struct NameQuestion {
    /// The name in lower case, without a trailing dot.
    let name: String
    /// True if the question is for A records, false for AAAA or others.
    let isForIPv4: Bool

    /// The number by which the resolver recognizes the answer, and which it sends again with a repeated question.
    let identifier: ArraySlice<UInt8>
    private let section: ArraySlice<UInt8>

    /// Parses a message; `nil` if it is not a question.
    init?(_ message: ArraySlice<UInt8>) {
        let start = message.startIndex + 12
        guard message.count > 12 else { return nil }
        var labels: [String] = []
        var rest = message[start...]
        while let length = rest.popFirst(), length > 0 {
            guard length < 64, rest.count >= length else { return nil }
            labels.append(String(decoding: rest.prefix(Int(length)), as: UTF8.self))
            rest = rest.dropFirst(Int(length))
        }
        guard rest.count >= 4 else { return nil }
        name = labels.joined(separator: ".").lowercased()
        isForIPv4 = Array(rest.prefix(2)) == [0, 1]
        identifier = message.prefix(2)
        section = message[start..<rest.startIndex + 4]
    }

    /// Returns a response with A records of these addresses and a TTL of 0.
    func answer(_ addresses: [String]) -> [UInt8] {
        // A response, with recursion, without an error; one question, the answers.
        var message = Array(identifier) + [0x81, 0x80, 0, 1, 0, UInt8(truncatingIfNeeded: addresses.count), 0, 0, 0, 0]
        message += section
        for address in addresses {
            // The name of the question, A, IN, 0 seconds, 4 bytes.
            message += [0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]
            message += address.split(separator: ".").compactMap { UInt8($0) }
        }
        return message
    }
}
