import JSON
public import Transfer

/// One JSON value, exactly as the upstream wrote it: validated, never decoded and encoded again.
///
/// Content of no bytes, or of exactly one space (which some frameworks send for "nothing"), means no object.
public struct JSONResponseSerializer: ResponseSerializer {
    /// What is accepted.
    public var options: ResponseConfiguration.JSONOptions

    /// Creates a serializer.
    public init(_ options: ResponseConfiguration.JSONOptions = .init()) {
        self.options = options
    }

    /// `application/json`, `text/json`, `text/javascript`.
    public var acceptableContentTypes: [MediaRange]? { Self.contentTypes }

    /// It does.
    public var readsContent: Bool { true }

    /// Validates the content.
    ///
    /// - Returns: The place of the value, without the whitespace (and the byte order mark) around it.
    public func serialize(_ content: [UInt8], of head: ResponseHead) throws(SessionError) -> ResponseObject {
        if content.isEmpty || content == [UInt8(ascii: " ")] { return .none }
        do throws(JSONSyntaxError) {
            let value = try JSONValidator.validate(content, limits: JSONLimits(maxDepth: options.maxDepth))
            if options.allowsFragments || value.isContainer { return .slice(value.range) }
        } catch {
            throw SessionError(.unparsableBody, "The content is no valid JSON: \(error)")
        }
        throw SessionError(.unparsableBody, "The content is a JSON fragment, neither an object nor an array")
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

    /// One JSON value, passed on exactly, read with `options`.
    public static func json(_ options: ResponseConfiguration.JSONOptions) -> Self { JSONResponseSerializer(options) }
}
