import ErrandSessionCore
import FoundationEssentials

/// Coding of Swift values as JSON text.
///
/// Error messages state only the kind of failure and its place: messages of the coders may quote content.
enum CodableJSON {
    /// Returns the JSON text of a value, in UTF-8.
    ///
    /// - Parameter encoder: The encoder; `nil` for one with sorted names, so that equal values give equal bytes, and
    ///   unescaped slashes.
    /// - Throws: ``SessionErrorCode/unserializableParameters``.
    static func encode(_ value: some Encodable, with encoder: JSONEncoder?) throws(SessionError) -> [UInt8] {
        do {
            return Array(try (encoder ?? makeEncoder()).encode(value))
        } catch {
            throw SessionError(.unserializableParameters, message(of: error, encoding: "\(type(of: value))"))
        }
    }

    /// Decodes a value from JSON text.
    ///
    /// - Throws: ``SessionErrorCode/unparsableBody``.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from text: some Sequence<UInt8>, with decoder: JSONDecoder
    ) throws(SessionError) -> Value {
        do {
            return try decoder.decode(type, from: Data(text))
        } catch {
            throw SessionError(.unparsableBody, message(of: error, decoding: "\(type)"))
        }
    }

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    // MARK: Messages

    private static func message(of error: any Error, encoding type: String) -> String {
        let start = "The value of type \(type) cannot be encoded as JSON"
        guard case EncodingError.invalidValue(_, let context) = error else { return start }
        return "\(start): \(place(context.codingPath)) cannot be represented"
    }

    private static func message(of error: any Error, decoding type: String) -> String {
        let start = "The content cannot be decoded as \(type)"
        guard let error = error as? DecodingError else { return start }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(start): \(place(context.codingPath)) has no member \(key.stringValue)"
        case .typeMismatch(let expected, let context):
            return "\(start): \(place(context.codingPath)) is not of type \(expected)"
        case .valueNotFound(let expected, let context):
            return "\(start): \(place(context.codingPath)) is null instead of a value of type \(expected)"
        case .dataCorrupted(let context):
            // Foundation reports numbers that do not fit without their coding path.
            let what = context.codingPath.isEmpty ? "a value in it" : place(context.codingPath)
            return "\(start): \(what) is invalid"
        @unknown default:
            return start
        }
    }

    /// Returns a coding path as text, such as `users[2].name`.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the top-level value" }
        return path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
