import ErrandJSON
import ErrandText

/// A writer of property lists as JSON.
///
/// | property list | JSON |
/// | --- | --- |
/// | dictionary | object, in the order of the file, repeated keys included |
/// | array | array |
/// | string, boolean | string, `true` or `false` |
/// | integer | number, all digits |
/// | real | number: as the XML writes it if JSON allows that, else the shortest that reads as the same `Double` |
/// | not a number, infinite | `"NaN"`, `"Infinity"`, `"-Infinity"`: JSON has no numbers for them |
/// | date | string: RFC 3339, in UTC, `"2026-11-21T07:40:00Z"` |
/// | data | string: Base64 (RFC 4648 §4) |
public enum PropertyListJSON {
    /// Returns the JSON text of a value, compact and in UTF-8.
    public static func write(_ value: PropertyListValue) -> [UInt8] {
        // Without a limit there is always a text.
        write(value, maxBytes: .max) ?? []
    }

    /// Returns the JSON text of a value, or `nil` if it has more than `maxBytes` bytes.
    ///
    /// There is no recursion, so the depth uses no stack.
    public static func write(_ value: PropertyListValue, maxBytes: Int) -> [UInt8]? {
        var writer = JSONWriter()
        var open: [Container] = []
        begin(value, open: &open, in: &writer)
        while writer.bytes.count <= maxBytes, let container = open.popLast() {
            switch container {
            case .array(var rest):
                guard let item = rest.popFirst() else {
                    writer.endArray()
                    continue
                }
                open.append(.array(rest))
                begin(item, open: &open, in: &writer)
            case .dictionary(var rest):
                guard let entry = rest.popFirst() else {
                    writer.endObject()
                    continue
                }
                open.append(.dictionary(rest))
                writer.member(entry.key)
                begin(entry.value, open: &open, in: &writer)
            }
        }
        return writer.bytes.count <= maxBytes ? writer.bytes : nil
    }

    /// The remaining parts of an array or dictionary that is being written.
    private enum Container {
        case array(ArraySlice<PropertyListValue>)
        case dictionary(ArraySlice<PropertyListEntry>)
    }

    /// Writes a scalar, or the start of an array or dictionary, which is then open.
    private static func begin(_ value: PropertyListValue, open: inout [Container], in writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.int(number)
        case .real(let real): write(real, to: &writer)
        case .boolean(let value): writer.bool(value)
        case .date(let date): writer.string(date.rfc3339)
        case .data(let data): writer.string(Base64.encode(data))
        case .array(let items):
            writer.beginArray()
            open.append(.array(items[...]))
        case .dictionary(let entries):
            writer.beginObject()
            open.append(.dictionary(entries[...]))
        }
    }

    private static func write(_ real: PropertyListReal, to writer: inout JSONWriter) {
        if let number = real.number {
            writer.raw(number.lexeme.utf8)
        } else if real.value.isNaN {
            writer.string("NaN")
        } else if real.value.isInfinite {
            writer.string(real.value < 0 ? "-Infinity" : "Infinity")
        } else {
            writer.double(real.value)
        }
    }
}
