import RequestSerialization
import Transfer

extension SerializedContent {
    /// The content as text, when it is in memory.
    var text: String? {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// There is neither content nor a type.
    var isNothing: Bool {
        if case .none = body { contentType == nil } else { false }
    }
}

extension RequestSerializer {
    /// Serializes parameters that are written as text.
    func serialize(_ parameters: String) throws(RequestSerializationError) -> SerializedContent {
        try serialize(Array(parameters.utf8))
    }
}
