/// A JSON pointer (RFC 6901): `/labels/team`, empty for the whole document.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The names and indices, outermost first.
    public var tokens: [String]

    /// Creates a pointer, by default to the whole document.
    public init(_ tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Returns the pointer to a member of the value at this pointer.
    public func appending(_ name: String) -> JSONPointer {
        var longer: [String] = []
        longer.reserveCapacity(tokens.count + 1)
        longer += tokens
        longer.append(name)
        return JSONPointer(longer)
    }

    /// Returns the pointer to an item, counted from 0, of the value at this pointer.
    public func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// The pointer as text, with `~` and `/` in names escaped (RFC 6901 §3).
    public var description: String {
        text()
    }

    /// Returns ``description``; text longer than `limit` is truncated there and ends in `…`.
    ///
    /// Use a limit for documents from others: a name may be as long as the whole document.
    public func text(limit: Int = .max) -> String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
                case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
                default: bytes.append(byte)
                }
                if bytes.count > limit { return String(decoding: bytes, as: UTF8.self).shortened(toBytes: limit) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the value at this pointer, or `nil` if there is none.
    ///
    /// Of members with the same name it is the first.
    public func value(in root: JSONValue) -> JSONValue? {
        tokens.reduce(root) { value, token in
            switch value?.kind {
            case .object(let object): object[token]
            case .array(let items): Self.index(token, in: items).map { items[$0] }
            default: nil
            }
        }
    }

    // An index has no sign and no leading zeros (RFC 6901 §4). `-`, the position after the last item, has no value.
    private static func index(_ token: String, in items: [JSONValue]) -> Int? {
        guard let index = Int(token), items.indices.contains(index), String(index) == token else { return nil }
        return index
    }
}

extension String {
    /// Returns the text if it has at most `limit` bytes in UTF-8, otherwise a prefix of whole characters, followed by
    /// `…`.
    package func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(limit, 0))
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
