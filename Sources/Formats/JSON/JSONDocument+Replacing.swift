import ErrandText

extension JSONDocument {
    /// Returns an object as text with some members replaced; the values of all others stay unchanged, byte for byte.
    ///
    /// - Parameters:
    ///   - changes: JSON values by name, which are appended at the end; `nil` removes a member.
    ///   - object: An object of this document.
    public func replacing(_ changes: [(name: String, value: [UInt8]?)], in object: JSONObject) -> [UInt8] {
        let names = Set(changes.map { ExactText($0.name) })
        var writer = JSONWriter(capacity: bytes.count)
        writer.beginObject()
        for member in object.members where !names.contains(ExactText(member.key)) {
            writer.member(member.key)
            writer.raw(slice(of: member.value))
        }
        for change in changes {
            guard let value = change.value else { continue }
            writer.member(change.name)
            writer.raw(value)
        }
        writer.endObject()
        return writer.bytes
    }
}
