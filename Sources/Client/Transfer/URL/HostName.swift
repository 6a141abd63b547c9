import ErrandText

/// Normalization of the host of a URL when it is a name or an IPv4 address.
enum HostName {
    /// Returns the host in lower case, with numeric forms written as dotted IPv4.
    ///
    /// Of the characters that RFC 3986 §3.2.2 allows, those that libcurl rejects are rejected too (`!$&'()*+,;=` and
    /// escapes): no resolver knows such a name, and two parsers may disagree on it.
    static func normal(_ host: ArraySlice<UInt8>) throws(HTTPURLError) -> String {
        guard !host.isEmpty else { throw .noHost }
        guard host.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII }
        guard host.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) }) else {
            throw .badHost
        }
        let name = String(decoding: host, as: UTF8.self).lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: true)
        guard let last = labels.last else { throw .badHost }
        guard looksNumeric(last) else { return name }
        guard let address = address(name) else { throw .badIPv4 }
        return (0..<4).map { String(address >> (24 - 8 * UInt32($0)) & 0xFF) }.joined(separator: ".")
    }

    /// Returns true if a last label makes the host an attempt at an IPv4 address: `7`, `007`, `0x7f`, also `0x` and
    /// `09`.
    private static func looksNumeric(_ label: Substring) -> Bool {
        let digits = label.hasPrefix("0x") ? label.dropFirst(2) : label
        return label.utf8.allSatisfy(\.isASCIIDigit)
            || label.hasPrefix("0x") && digits.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    /// Parses an address as `inet_aton(3)` does: one to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`), of
    /// which the last fills all remaining bytes.
    private static func address(_ name: String) -> UInt32? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = number(part) else { return nil }
            let bits = index == parts.count - 1 ? UInt64(8 * (4 - index)) : 8
            guard number < 1 << bits else { return nil }
            address = address << bits | number
        }
        return UInt32(address)
    }

    private static func number(_ part: Substring) -> UInt64? {
        let (digits, radix): (Substring, Int) =
            if part.hasPrefix("0x") {
                (part.dropFirst(2), 16)
            } else if part.hasPrefix("0"), part.count > 1 {
                (part.dropFirst(), 8)
            } else {
                (part, 10)
            }
        guard let first = digits.utf8.first, Hexadecimal.value(of: first) != nil else { return nil }
        return UInt64(digits, radix: radix)
    }
}
