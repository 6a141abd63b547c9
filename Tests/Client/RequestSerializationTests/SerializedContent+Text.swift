import ErrandRequestSerialization
import ErrandTransfer

extension SerializedContent {
    /// The content as text, if it is in memory.
    var text: String? {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// A Boolean value that indicates whether there is neither content nor a type.
    var isNothing: Bool {
        if case .none = body { contentType == nil } else { false }
    }
}

extension RequestSerializer {
    /// Serializes parameters given as text.
    func serialize(_ parameters: String) throws(RequestSerializationError) -> SerializedContent {
        try serialize(Array(parameters.utf8))
    }
}
