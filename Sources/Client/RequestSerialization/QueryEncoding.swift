import ErrandText

/// Encodes parameters as a URL query or form content: pairs of escaped names and values, joined by `&`.
///
/// The default rules, which ``ParameterEncoding`` can change:
///
/// | parameter | pairs |
/// | --- | --- |
/// | member of an object | `key=value`, members in ascending order of their names' UTF-8 |
/// | object in an object | `key[inner]=value` (`[` and `]` are escaped) |
/// | array | `key[]=value` for each element, in order |
/// | null | `key`, without `=` |
/// | empty string | `key=` |
/// | empty object or array | nothing |
/// | boolean | `1` or `0` |
/// | number | as in the JSON: `1.10` stays `1.10` |
///
/// The UTF-8 of all characters except ASCII letters and digits and `-._~/?` is escaped.
///
/// ```swift
/// try QueryEncoding.encode(Array(#"{"labels": ["bug", "good first issue"], "page": 2}"#.utf8))
/// // labels%5B%5D=bug&labels%5B%5D=good%20first%20issue&page=2
/// ```
public enum QueryEncoding {
    /// Returns the query for parameters; empty if there are no pairs.
    ///
    /// - Parameters:
    ///   - parameters: One JSON value in UTF-8, which must be an object.
    ///   - encoding: The rules for turning parameters into pairs.
    public static func encode(
        _ parameters: [UInt8], _ encoding: ParameterEncoding = ParameterEncoding()
    ) throws(RequestSerializationError) -> String {
        String(decoding: try bytes(parameters, encoding), as: UTF8.self)
    }

    /// Returns the same query as ASCII bytes.
    static func bytes(
        _ parameters: [UInt8], _ encoding: ParameterEncoding
    ) throws(RequestSerializationError) -> [UInt8] {
        let spaces = encoding.spaces
        var query: [UInt8] = []
        // A pair with an empty name and no value would leave a stray separator.
        for pair in try ParameterPairs(parameters, encoding).pairs where pair.value != .nothing || !pair.name.isEmpty {
            if !query.isEmpty { query.append(UInt8(ascii: "&")) }
            ParameterEscaping.append(pair.name, to: &query, spaces: spaces)
            switch pair.value {
            case .nothing:
                break
            case .text(let text):
                query.append(UInt8(ascii: "="))
                ParameterEscaping.append(text, to: &query, spaces: spaces)
            case .list(let texts):
                var separator = UInt8(ascii: "=")
                for text in texts {
                    query.append(separator)
                    ParameterEscaping.append(text, to: &query, spaces: spaces)
                    separator = UInt8(ascii: ",")
                }
            }
        }
        return query
    }
}

/// The escaping of queries and forms: UTF-8, percent-encoded (RFC 3986 §2.1) with upper-case digits.
///
/// ASCII letters and digits and `-._~/?` are not escaped: the unreserved characters, and two more that a query may
/// contain (RFC 3986 §3.4).
enum ParameterEscaping {
    private static let unescaped = ASCIISet.unreserved.union("/?")

    /// Returns the number of bytes of a text with the necessary escapes.
    static func byteCount(of text: some Sequence<UInt8>, spaces: ParameterEncoding.SpaceStyle) -> Int {
        let (unescaped, spaceIsPlus) = (unescaped, spaces == .plus)
        return text.reduce(0) { count, byte in
            let isOneByte = unescaped.contains(byte) || spaceIsPlus && byte == UInt8(ascii: " ")
            return count + (isOneByte ? 1 : 3)
        }
    }

    /// Appends a text with the necessary escapes.
    static func append(_ text: String, to bytes: inout [UInt8], spaces: ParameterEncoding.SpaceStyle) {
        PercentCoding.append(text.utf8, keeping: unescaped, spaceIsPlus: spaces == .plus, to: &bytes)
    }
}
