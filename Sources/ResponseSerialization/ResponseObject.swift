/// What a response serializer has made of the content.
public enum ResponseObject: Sendable, Hashable {
    /// Nothing: there was no content, or it stands for itself.
    case none
    /// The JSON value in these bytes of the content, to be passed on as they are.
    case slice(Range<Int>)
    /// A JSON value of its own, as text in UTF-8.
    case json([UInt8])
}
