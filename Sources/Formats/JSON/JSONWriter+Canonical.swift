extension JSONWriter {
    /// Writes a value in canonical form, so that equal values become equal bytes.
    ///
    /// The form has no whitespace, members sorted by name (code point by code point), and only the necessary escapes.
    /// Numbers keep their original form, so that `1.0` and `1` are different; all values of a repeated name stay, in
    /// their order.
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
            // Sorting is stable, and the order of UTF-8 bytes is that of code points.
            for item in object.members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                member(item.key)
                canonical(item.value)
            }
            endObject()
        }
    }
}
