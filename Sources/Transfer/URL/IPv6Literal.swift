/// An IPv6 address as it stands between the brackets of a URL (RFC 3986 §3.2.2), without a zone.
struct IPv6Literal: CustomStringConvertible {
    /// The eight groups of 16 bits, from the left.
    private var groups: [UInt16]

    /// Reads an address; `nil` when it is none.
    init?(_ text: ArraySlice<UInt8>) {
        let text = String(decoding: text, as: UTF8.self)
        let halves = Self.halves(of: text)
        guard let head = halves.first.flatMap(Self.groups(of:)) else { return nil }
        switch halves.count {
        case 1:
            guard head.count == 8 else { return nil }
            groups = head
        case 2:
            // "::" stands for at least one group (RFC 4291 §2.2).
            guard !Self.endsInIPv4(halves[0]), let tail = Self.groups(of: halves[1]), head.count + tail.count < 8
            else { return nil }
            groups = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        default:
            return nil
        }
    }

    /// What stands before and after `::`.
    private static func halves(of text: String) -> [Substring] {
        let bytes = text.utf8
        var index = bytes.startIndex
        var start = index
        var halves: [Substring] = []
        while index != bytes.endIndex {
            let next = bytes.index(after: index)
            if bytes[index] == UInt8(ascii: ":"), next != bytes.endIndex, bytes[next] == UInt8(ascii: ":") {
                halves.append(text[start..<index])
                index = bytes.index(after: next)
                start = index
            } else {
                index = next
            }
        }
        halves.append(text[start...])
        return halves
    }

    private static func endsInIPv4(_ half: Substring) -> Bool {
        half.utf8.contains(UInt8(ascii: "."))
    }

    /// The groups of one side of `::`; none for an empty side.
    private static func groups(of half: Substring) -> [UInt16]? {
        guard !half.isEmpty else { return [] }
        let pieces = half.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, piece) in pieces.enumerated() {
            if endsInIPv4(piece) {
                guard index == pieces.count - 1, let address = ipv4(piece) else { return nil }
                groups += address
            } else {
                guard (1...4).contains(piece.utf8.count), piece.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
                    let group = UInt16(piece, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups.count <= 8 ? groups : nil
    }

    /// The last 32 bits in dotted form: four decimal numbers without leading zeros.
    private static func ipv4(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt16] = []
        for part in parts {
            guard part.utf8.allSatisfy(\.isASCIIDigit), part == "0" || !part.hasPrefix("0"), let byte = UInt8(part)
            else { return nil }
            bytes.append(UInt16(byte))
        }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }

    /// As RFC 5952 writes it: lower case, no leading zeros, the longest run of zeros (two groups or more, the first of
    /// equals) as `::`; IPv4-mapped addresses end in dotted form.
    var description: String {
        if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
            return "::ffff:\(groups[6] >> 8).\(groups[6] & 0xFF).\(groups[7] >> 8).\(groups[7] & 0xFF)"
        }
        let zeros = longestZeros
        guard zeros.count >= 2 else { return hexadecimal(groups[...]) }
        return "\(hexadecimal(groups[..<zeros.lowerBound]))::\(hexadecimal(groups[zeros.upperBound...]))"
    }

    private var longestZeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest
    }

    private func hexadecimal(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
