public import ErrandHTTPGrammar

/// Reads the content of responses.
///
/// A program gives its own serializer to a session or a request, among its hooks; the kind of its results is
/// ``ResponseSerializerKind/raw``.
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
    /// - Throws: ``ResponseSerializationError`` if the serializer cannot read the content. Its message is shown and
    ///   logged; an error that may quote the content belongs into ``ResponseSerializationError/underlying``.
    func serialize(
        _ content: [UInt8], contentType: MediaType?
    ) throws(ResponseSerializationError) -> SerializedResponse
}

extension ResponseSerializer {
    /// Returns `true`, the correct result for nearly all serializers.
    public func readsContent(of contentType: MediaType?) -> Bool { true }
}

/// The object that a response serializer produced, and the serializer.
public struct SerializedResponse: Sendable, Hashable {
    /// The object that was produced from the content.
    public var object: ResponseObject
    /// The serializer that read the content: the one chosen by the content type, or the first of several that produced
    /// an object; ``ResponseSerializerKind/raw`` if none of them did.
    public var serializer: ResponseSerializerKind

    /// Creates a serialized response.
    ///
    /// The default kind is that of serializers of a program.
    public init(_ object: ResponseObject, by serializer: ResponseSerializerKind = .raw) {
        self.object = object
        self.serializer = serializer
    }
}

/// The object that a response serializer has produced from the content.
public enum ResponseObject: Sendable, Hashable {
    /// No object: there was no content, or it stays as bytes.
    case none
    /// The JSON value in this range of the content, which is passed on unchanged.
    case slice(Range<Int>)
    /// A new JSON value in UTF-8.
    case json([UInt8])
}

/// The response serializers, by their names in configurations and tasks.
public enum ResponseSerializerKind: String, Sendable, Hashable, CaseIterable {
    /// Reads one JSON value, which is passed on unchanged: ``JSONResponseSerializer``.
    case json
    /// Converts an XML document to a tree: ``XMLResponseSerializer``.
    case xml
    /// Converts an XML or binary property list to JSON: ``PropertyListResponseSerializer``.
    case plist
    /// Decodes text in any charset to a string: ``TextResponseSerializer``.
    case text
    /// Reads the format and size of an image: ``ImageResponseSerializer``.
    case image
    /// Leaves the content as bytes: ``RawResponseSerializer``.
    case raw
    /// Chooses one of the others by the content type: ``AutomaticResponseSerializer``.
    case auto
}

/// The options of a session's response serializers.
public struct ResponseSerializationOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether nulls are removed from JSON: members and array items, at every depth.
    ///
    /// Containers stay even if they become empty. Default: `false`.
    public var removesNulls: Bool
    /// The options for reading JSON.
    public var json: JSONReadingOptions

    /// Creates options.
    public init(removesNulls: Bool = false, json: JSONReadingOptions = JSONReadingOptions()) {
        self.removesNulls = removesNulls
        self.json = json
    }
}
