public import Transfer

/// Reads the content of responses.
///
/// To add one: conform in a file of its own here, give it a factory in `extension ResponseSerializer where Self == …`,
/// and a case in ``ResponseSerializerKind``.
public protocol ResponseSerializer: Sendable {
    /// The content types that are acceptable when the session names none; `nil` for any.
    var acceptableContentTypes: [MediaRange]? { get }

    /// Whether ``serialize(_:of:)`` looks at the bytes. When not, content outside of memory is left there, and it gets
    /// none.
    var readsContent: Bool { get }

    /// Makes the object that the content means.
    ///
    /// - Throws: ``SessionErrorCode/unparsableBody`` when it means none.
    func serialize(_ content: [UInt8], of head: ResponseHead) throws(SessionError) -> ResponseObject
}

extension ResponseSerializerKind {
    /// The serializer of that name, with the session's options for it.
    public func serializer(for configuration: ResponseConfiguration) -> any ResponseSerializer {
        switch self {
        case .json: .json(configuration.json)
        case .raw: .raw
        }
    }
}
