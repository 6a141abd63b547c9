import JSON

/// Parameters as the query of a URL: pairs of escaped keys and values.
///
/// | parameter | pairs |
/// | --- | --- |
/// | member of an object | `key=value`, members in ascending order of their keys' UTF-8 |
/// | object in an object | `key[inner]=value` (`[` and `]` are escaped) |
/// | array | `key[]=value` for each element, in order |
/// | null | `key`, without `=` |
/// | empty string | `key=` |
/// | empty object or array | nothing |
/// | boolean | `1` or `0` |
/// | number | as it was written: `1.10` stays `1.10` |
///
/// Escaped are the bytes of the UTF-8 of all characters but letters and digits of ASCII and `-._~/?`.
enum QueryEncoding {
    /// The query of one JSON value, which must be an object; empty when there are no pairs.
    static func encode(_ parameters: [UInt8]) throws(RequestSerializationError) -> String {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument.parse(parameters)
        } catch {
            throw RequestSerializationError(message: "The parameters are no valid JSON: \(error)")
        }
        guard case .object(let object) = document.root.kind else {
            throw RequestSerializationError(message: "Parameters in a URL are an object")
        }
        var pairs = Pairs()
        for member in sorted(object) {
            pairs.append(member.value, under: escaped(member.key))
        }
        return String(decoding: pairs.query, as: UTF8.self)
    }

    private struct Pairs {
        var query: [UInt8] = []

        /// - Parameter key: Escaped already, so that nesting only ever adds to it.
        mutating func append(_ value: JSONValue, under key: [UInt8]) {
            switch value.kind {
            case .null: append(key, nil)
            case .bool(let bool): append(key, [UInt8(ascii: bool ? "1" : "0")])
            case .number(let number): append(key, escaped(number.lexeme))
            case .string(let string): append(key, escaped(string))
            case .array(let elements):
                for element in elements {
                    append(element, under: key + "%5B%5D".utf8)
                }
            case .object(let object):
                for member in sorted(object) {
                    append(member.value, under: key + "%5B".utf8 + escaped(member.key) + "%5D".utf8)
                }
            }
        }

        private mutating func append(_ key: [UInt8], _ value: [UInt8]?) {
            if !query.isEmpty { query.append(UInt8(ascii: "&")) }
            query += key
            guard let value else { return }
            query.append(UInt8(ascii: "="))
            query += value
        }
    }

    /// Members with the same key, which JSON allows, keep their order.
    private static func sorted(_ object: JSONObject) -> [JSONMember] {
        object.members.sorted { one, other in
            if one.key.utf8.elementsEqual(other.key.utf8) {
                one.keyRange.lowerBound < other.keyRange.lowerBound
            } else {
                one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
            }
        }
    }

    private static func escaped(_ text: String) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnescaped(byte) {
                escaped.append(byte)
            } else {
                escaped.append(UInt8(ascii: "%"))
                escaped.append(hexadecimalDigit(byte >> 4))
                escaped.append(hexadecimalDigit(byte & 0xF))
            }
        }
        return escaped
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~/?".utf8.contains(byte)
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
