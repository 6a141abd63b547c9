import ErrandJSON

/// Functions on JSON trees for the checks.
enum JSONTree {
    /// Returns the tree without the locations in the text.
    static func bare(_ value: JSONValue) -> JSONValue {
        switch value.kind {
        case .array(let items): JSONValue(.array(items.map(bare)))
        case .object(let object):
            JSONValue(.object(JSONObject(object.members.map { JSONMember($0.key, bare($0.value)) })))
        default: JSONValue(value.kind)
        }
    }

    /// Returns the depth of nested arrays and objects.
    static func depth(of value: JSONValue) -> Int {
        switch value.kind {
        case .array(let items): 1 + (items.map(depth).max() ?? 0)
        case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }

    /// Returns the tree as text.
    static func written(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.bytes
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .number(let number): writer.raw(number.lexeme.utf8)
        case .string(let text): writer.string(text)
        case .array(let items):
            writer.beginArray()
            for item in items { write(item, to: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.member(member.key)
                write(member.value, to: &writer)
            }
            writer.endObject()
        }
    }
}
