public import HTTPGrammar
import JSON

/// One JSON value, exactly as the upstream wrote it: validated, never decoded and encoded again.
///
/// Content of no bytes, or of exactly one space (which some frameworks send for "nothing"), means no object.
public struct JSONResponseSerializer: ResponseSerializer {
    /// How it reads; of the options, nulls and JSON matter.
    public var options: ResponseSerializationOptions

    /// Creates a serializer.
    public init(_ options: ResponseSerializationOptions = ResponseSerializationOptions()) {
        self.options = options
    }

    /// `application/json`, `text/json`, `text/javascript`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Validates the content.
    ///
    /// The charset of the content type does not matter: JSON is UTF-8 (RFC 8259 §8.1).
    ///
    /// - Returns: The place of the value, without the whitespace (and the byte order mark) around it; the value made
    ///   anew only when nulls had to be removed from it.
    public func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse {
        if content.isEmpty || content == [UInt8(ascii: " ")] { return SerializedResponse(.none, by: .json) }
        let range = try validate(content)
        if options.removesNulls, let rest = JSONNullRemoval.removing(from: content, in: range) {
            return SerializedResponse(.json(rest), by: .json)
        }
        return SerializedResponse(.slice(range), by: .json)
    }

    private func validate(_ content: [UInt8]) throws(ResponseSerializationError) -> Range<Int> {
        do throws(JSONSyntaxError) {
            let limits = JSONLimits(maxDepth: options.json.maxDepth)
            let value = try JSONValidator.validate(content, limits: limits)
            if options.json.allowsFragments || value.isContainer { return value.range }
        } catch {
            throw ResponseSerializationError("The content is no valid JSON: \(error)")
        }
        throw ResponseSerializationError("The content is a JSON fragment, neither an object nor an array")
    }

    private static let contentTypes = [
        MediaRange(type: "application", subtype: "json"),
        MediaRange(type: "text", subtype: "json"),
        MediaRange(type: "text", subtype: "javascript"),
    ]
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// One JSON value, passed on exactly.
    public static var json: Self { JSONResponseSerializer() }

    /// One JSON value, read with `options`.
    public static func json(_ options: ResponseSerializationOptions) -> Self { JSONResponseSerializer(options) }
}
