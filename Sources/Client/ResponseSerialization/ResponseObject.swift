/// The object that a response serializer has produced from the content.
public enum ResponseObject: Sendable, Hashable {
    /// No object: there was no content, or it stays as bytes.
    case none
    /// The JSON value in this range of the content, which is passed on unchanged.
    case slice(Range<Int>)
    /// A new JSON value in UTF-8.
    case json([UInt8])
}
