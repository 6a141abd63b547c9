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
        return write(value, to: &writer, maxBytes: maxBytes) ? writer.bytes : nil
    }

    /// Writes a value, but no text, key or data with which the writer would have more than `maxBytes` bytes.
    ///
    /// - Returns: False if the value does not fit; the writer then has only a part of it.
    static func write(_ value: PropertyListValue, to writer: inout JSONWriter, maxBytes: Int) -> Bool {
        var open: [Container] = []
        guard begin(value, open: &open, in: &writer, maxBytes: maxBytes) else { return false }
        while writer.bytes.count <= maxBytes, let container = open.popLast() {
            switch container {
            case .array(var rest):
                guard let item = rest.popFirst() else {
                    writer.endArray()
                    continue
                }
                open.append(.array(rest))
                guard begin(item, open: &open, in: &writer, maxBytes: maxBytes) else { return false }
            case .dictionary(var rest):
                guard let entry = rest.popFirst() else {
                    writer.endObject()
                    continue
                }
                open.append(.dictionary(rest))
                guard hasRoom(for: JSONWriter.byteCount(ofString: entry.key), in: writer, maxBytes: maxBytes) else {
                    return false
                }
                writer.member(entry.key)
                guard begin(entry.value, open: &open, in: &writer, maxBytes: maxBytes) else { return false }
            }
        }
        return writer.bytes.count <= maxBytes
    }

    /// The remaining parts of an array or dictionary that is being written.
    private enum Container {
        case array(ArraySlice<PropertyListValue>)
        case dictionary(ArraySlice<PropertyListEntry>)
    }

    /// Writes a scalar, or the start of an array or dictionary, which is then open.
    ///
    /// - Returns: False if there is no room for the string or data, of which nothing is written then.
    private static func begin(
        _ value: PropertyListValue, open: inout [Container], in writer: inout JSONWriter, maxBytes: Int
    ) -> Bool {
        switch value {
        case .string(let text):
            guard hasRoom(for: JSONWriter.byteCount(ofString: text), in: writer, maxBytes: maxBytes) else {
                return false
            }
            writer.string(text)
        case .integer(let number): writer.int(number)
        case .real(let real): write(real, to: &writer)
        case .boolean(let value): writer.bool(value)
        case .date(let date): writer.string(date.rfc3339)
        case .data(let data):
            // Four characters for each three bytes, the last of which may be missing, and the quotes.
            guard hasRoom(for: (data.count + 2) / 3 * 4 + 2, in: writer, maxBytes: maxBytes) else { return false }
            writer.string(Base64.encode(data))
        case .array(let items):
            writer.beginArray()
            open.append(.array(items[...]))
        case .dictionary(let entries):
            writer.beginObject()
            open.append(.dictionary(entries[...]))
        }
        return true
    }

    /// Returns true if a writer may get so many bytes more.
    private static func hasRoom(for bytes: Int, in writer: JSONWriter, maxBytes: Int) -> Bool {
        // The first condition keeps the subtraction from overflowing.
        writer.bytes.count <= maxBytes && bytes <= maxBytes - writer.bytes.count
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
