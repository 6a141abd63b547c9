public import HTTPGrammar

/// Reads the content of responses.
///
/// To add one: conform in a file of its own here, give it a factory in `extension ResponseSerializer where Self == …`,
/// and a case in ``ResponseSerializerKind``.
///
/// A serializer may be used by several tasks at once, on any thread; a call takes time in proportion to the content.
public protocol ResponseSerializer: Sendable {
    /// The content types that are acceptable when the session names none; `nil` for any.
    var acceptableContentTypes: [MediaRange]? { get }

    /// Whether ``serialize(_:contentType:)`` looks at the bytes of a content of this type.
    ///
    /// When not, content outside of memory is left there, and the serializer gets none.
    func readsContent(of contentType: MediaType?) -> Bool

    /// Makes the object that the content means; ``ResponseObject/none`` of content without bytes.
    ///
    /// - Parameters:
    ///   - content: The whole content, without its content coding.
    ///   - contentType: What the response says that it is; `nil` when it says nothing, or nothing well-formed. Whether
    ///     the type is acceptable has been decided.
    /// - Throws: When the content is not what the serializer reads.
    func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse
}

extension ResponseSerializer {
    /// It does, as nearly all serializers do.
    public func readsContent(of contentType: MediaType?) -> Bool { true }
}
