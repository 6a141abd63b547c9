public import ErrandHTTPGrammar

/// Reads the content of responses.
///
/// To add a serializer, conform in a separate file here, and add a factory in `extension ResponseSerializer where Self
/// == …` and a case in ``ResponseSerializerKind``.
///
/// Several tasks may use a serializer at the same time, on any thread; the duration of a call is proportional to the
/// content.
public protocol ResponseSerializer: Sendable {
    /// The content types that are acceptable if the session specifies none; `nil` for any.
    var acceptableContentTypes: [MediaRange]? { get }

    /// Returns whether ``serialize(_:contentType:)`` reads content of this type.
    ///
    /// If not, content outside of memory stays there and the serializer receives none.
    func readsContent(of contentType: MediaType?) -> Bool

    /// Returns the object for the content; ``ResponseObject/none`` if the content is empty.
    ///
    /// - Parameters:
    ///   - content: The whole content, with its content coding removed.
    ///   - contentType: The type given in the response; `nil` if it is missing or malformed. It was already found
    ///     acceptable.
    /// - Throws: ``ResponseSerializationError`` if the serializer cannot read the content.
    func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse
}

extension ResponseSerializer {
    /// Returns `true`, the correct result for nearly all serializers.
    public func readsContent(of contentType: MediaType?) -> Bool { true }
}
