import ErrandText

extension IPAddress {
    /// Parses an address in unambiguous notation.
    ///
    /// For IPv4 that is a decimal dotted quad without leading zeros, for IPv6 the syntax of RFC 4291 §2.2 without
    /// brackets and zone. Short, octal and hexadecimal IPv4 forms are refused, because parsers interpret them
    /// differently.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)[...]
        // The longest form has eight groups of four digits, the last two of them dotted.
        guard bytes.count <= 45 else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(ofAddress: bytes) else { return nil }
            self.init(groups: groups)
        } else {
            guard let bits = Self.quad(bytes) else { return nil }
            self = .v4(bits)
        }
    }

    /// Returns the eight groups of 16 bits of an IPv6 address.
    private static func groups(ofAddress text: ArraySlice<UInt8>) -> [UInt16]? {
        let halves = halves(of: text)
        guard let head = halves.first.flatMap(groups(of:)) else { return nil }
        switch halves.count {
        case 1:
            return head.count == 8 ? head : nil
        case 2:
            // "::" replaces at least one group.
            guard !halves[0].contains(UInt8(ascii: ".")), let tail = groups(of: halves[1]), head.count + tail.count < 8
            else { return nil }
            return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        default:
            return nil
        }
    }

    /// Returns the text before and after each `::`.
    private static func halves(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let colon = UInt8(ascii: ":")
        var halves: [ArraySlice<UInt8>] = []
        var rest = text
        while let index = rest.indices.dropLast().first(where: { rest[$0] == colon && rest[$0 + 1] == colon }) {
            halves.append(rest[..<index])
            rest = rest[(index + 2)...]
        }
        return halves + [rest]
    }

    /// Returns the groups of one side of `::`; none for an empty side.
    private static func groups(of half: ArraySlice<UInt8>) -> [UInt16]? {
        guard !half.isEmpty else { return [] }
        let pieces = half.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, piece) in pieces.enumerated() {
            if piece.contains(UInt8(ascii: ".")) {
                guard index == pieces.count - 1, let bits = quad(piece) else { return nil }
                groups += [UInt16(bits >> 16), UInt16(bits & 0xFFFF)]
            } else {
                guard let group = hexadecimal(piece) else { return nil }
                groups.append(group)
            }
        }
        return groups.count <= 8 ? groups : nil
    }

    /// Parses one group: one to four hexadecimal digits.
    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count) else { return nil }
        var value: UInt16 = 0
        for digit in digits {
            guard let four = Hexadecimal.value(of: digit) else { return nil }
            value = value << 4 | UInt16(four)
        }
        return value
    }

    /// Parses four decimal numbers from 0 to 255 without leading zeros.
    private static func quad(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            let zero = UInt8(ascii: "0")
            guard (1...3).contains(part.count), part.count == 1 || part.first != zero,
                part.allSatisfy(\.isASCIIDigit),
                let byte = UInt8(exactly: part.reduce(0) { $0 * 10 + Int($1 - zero) })
            else { return nil }
            bits = bits << 8 | UInt32(byte)
        }
        return bits
    }
}

extension IPAddress: CustomStringConvertible {
    /// A dotted quad, or an IPv6 address as in RFC 5952.
    ///
    /// The latter has lower case, no leading zeros, and `::` for the longest run of zeros (two groups or more, the
    /// first of equally long ones); IPv4-mapped addresses end in dotted form.
    public var description: String {
        switch self {
        case .v4(let bits):
            return Self.quad(bits)
        case .v6(0, let low) where low >> 32 == 0xFFFF:
            return "::ffff:\(Self.quad(UInt32(truncatingIfNeeded: low)))"
        case .v6(let high, let low):
            let groups = [high, low].flatMap { half in
                stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: half >> $0) }
            }
            let zeros = Self.longestZeros(in: groups)
            guard zeros.count >= 2 else { return Self.hexadecimal(groups[...]) }
            return "\(Self.hexadecimal(groups[..<zeros.lowerBound]))::\(Self.hexadecimal(groups[zeros.upperBound...]))"
        }
    }

    private static func quad(_ bits: UInt32) -> String {
        "\(bits >> 24).\(bits >> 16 & 0xFF).\(bits >> 8 & 0xFF).\(bits & 0xFF)"
    }

    private static func hexadecimal(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}
