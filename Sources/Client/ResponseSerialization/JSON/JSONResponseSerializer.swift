public import ErrandHTTPGrammar
import ErrandJSON

/// Reads one JSON value and returns it exactly as the upstream wrote it: validated, never re-encoded.
///
/// Empty content, or a single space (which some frameworks send for "nothing"), yields no object.
public struct JSONResponseSerializer: ResponseSerializer {
    /// The options; those for nulls and JSON are used.
    public var options: ResponseSerializationOptions

    /// Creates a serializer.
    public init(_ options: ResponseSerializationOptions = ResponseSerializationOptions()) {
        self.options = options
    }

    /// `application/json`, `text/json`, `text/javascript`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// Validates the content.
    ///
    /// The charset of the content type is ignored: JSON is UTF-8 (RFC 8259 §8.1).
    ///
    /// - Returns: The range of the value, without surrounding white space and byte order mark; a new value only if
    ///   nulls had to be removed.
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
            throw ResponseSerializationError("The content is not valid JSON: \(error)")
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
    /// Returns a serializer for JSON, which is passed on unchanged.
    public static var json: Self { JSONResponseSerializer() }

    /// Returns a serializer for JSON, which is read with `options`.
    public static func json(_ options: ResponseSerializationOptions) -> Self { JSONResponseSerializer(options) }
}

/// The options for reading the JSON of a response.
public struct JSONReadingOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether the outermost value may be a string, number, boolean or null.
    ///
    /// Default: `false`, only an object or array.
    public var allowsFragments: Bool
    /// The largest nesting depth of arrays and objects: `[[1]]` has depth 2.
    ///
    /// Default: 512. The JSON reader has its own limit of 1,024, which larger values do not raise.
    public var maxDepth: Int

    /// Creates options.
    public init(allowsFragments: Bool = false, maxDepth: Int = 512) {
        self.allowsFragments = allowsFragments
        self.maxDepth = maxDepth
    }
}
