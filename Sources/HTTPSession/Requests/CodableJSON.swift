import FoundationEssentials
import SessionCore

/// Values of Swift as JSON text, and back.
///
/// What goes wrong is told by the kind of failure and its place: messages of coders may quote content.
enum CodableJSON {
    /// The text of a value, in UTF-8.
    ///
    /// - Parameter encoder: `nil` for one with names in ascending order, so that equal values are equal bytes, and
    ///   slashes as they are.
    /// - Throws: ``SessionErrorCode/unserializableParameters``.
    static func encode(_ value: some Encodable, with encoder: JSONEncoder?) throws(SessionError) -> [UInt8] {
        do {
            return Array(try (encoder ?? makeEncoder()).encode(value))
        } catch {
            throw SessionError(.unserializableParameters, message(of: error, encoding: "\(type(of: value))"))
        }
    }

    /// The value in a text.
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
        let start = "The value of type \(type) cannot be written as JSON"
        guard case EncodingError.invalidValue(_, let context) = error else { return start }
        return "\(start): \(place(context.codingPath)) has no form in it"
    }

    private static func message(of error: any Error, decoding type: String) -> String {
        let start = "The content is no \(type)"
        guard let error = error as? DecodingError else { return start }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(start): \(place(context.codingPath)) has no member \(key.stringValue)"
        case .typeMismatch(let expected, let context):
            return "\(start): \(place(context.codingPath)) is not of type \(expected)"
        case .valueNotFound(let expected, let context):
            return "\(start): \(place(context.codingPath)) is null where a value of type \(expected) belongs"
        case .dataCorrupted(let context):
            // Numbers that do not fit come without their place.
            let what = context.codingPath.isEmpty ? "something in it" : place(context.codingPath)
            return "\(start): \(what) cannot be read"
        @unknown default:
            return start
        }
    }

    /// A place in words, such as `users[2].name`.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the value at the top" }
        return path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
