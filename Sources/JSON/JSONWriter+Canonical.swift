extension JSONWriter {
    /// Writes a value so that two texts of the same value become the same bytes: no white space, members sorted by name
    /// (code point by code point), strings with the escapes that they need and no other.
    ///
    /// Numbers stay as they are written, so `1.0` and `1` are different; of a repeated name all values stay, in their
    /// order.
    public mutating func canonical(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .number(let number): raw(number.lexeme.utf8)
        case .string(let text): string(text)
        case .array(let items):
            beginArray()
            for item in items { canonical(item) }
            endArray()
        case .object(let object):
            beginObject()
            // Sorting is stable, and UTF-8 sorts as code points do.
            for item in object.members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                member(item.key)
                canonical(item.value)
            }
            endObject()
        }
    }
}
