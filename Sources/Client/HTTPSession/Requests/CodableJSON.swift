import ErrandSessionCore
import FoundationEssentials

/// Coding of Swift values as JSON text.
///
/// Error messages state only the kind of failure and its place: messages of the coders may quote content. So may the
/// keys of a place, of which only those that a type declares are shown.
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
            throw SessionError(
                .unserializableParameters, message(of: error, encoding: "\(type(of: value))"), cause: error)
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
            throw SessionError(.unparsableBody, message(of: error, decoding: "\(type)"), cause: error)
        }
    }

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    // MARK: Messages

    /// Returns the message of a value that cannot be encoded.
    private static func message(of error: any Error, encoding type: String) -> String {
        let start = "The value of type \(type) cannot be encoded as JSON"
        guard case EncodingError.invalidValue(_, let context) = error else { return start }
        return "\(start): \(place(context.codingPath)) cannot be represented"
    }

    /// Returns the message of content that cannot be decoded.
    private static func message(of error: any Error, decoding type: String) -> String {
        let start = "The content cannot be decoded as \(type)"
        guard let error = error as? DecodingError else { return start }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(start): \(place(context.codingPath)) has no member \(key.declaredName ?? "[…]")"
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

    /// Returns a coding path as text, such as `users[2].name`; a key that may be content is `[…]`.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the top-level value" }
        return path.reduce(into: "") { place, key in
            if let index = key.index {
                place += "[\(index)]"
            } else if let name = key.declaredName {
                place += place.isEmpty ? name : ".\(name)"
            } else {
                place += "[…]"
            }
        }
    }
}

extension CodingKey {
    /// The position in an array; `nil` for a key of an object.
    ///
    /// Foundation describes positions in this way. A key of a dictionary can be a number too, but its text is the
    /// number alone.
    fileprivate var index: Int? {
        guard let intValue, stringValue == "Index \(intValue)" else { return nil }
        return intValue
    }

    /// The name of a member that a type declares; `nil` for a key that may be content.
    ///
    /// Declared keys are cases of an enumeration without associated values. The keys of dictionaries, and others that
    /// take any name, have their text in a member of a structure or in the value of a case.
    fileprivate var declaredName: String? {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty ? stringValue : nil
    }
}
