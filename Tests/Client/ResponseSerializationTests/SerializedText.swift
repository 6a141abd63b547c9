import ErrandHTTPGrammar
import ErrandResponseSerialization

extension ResponseSerializer {
    /// Returns the object of a content as text, with the serializer that produced it.
    ///
    /// For example `json: {}`; only the serializer if there is no object.
    func text(_ content: [UInt8], _ contentType: String? = nil) throws(ResponseSerializationError) -> String {
        let response = try serialize(content, contentType: contentType.flatMap { MediaType($0) })
        let name = response.serializer.rawValue
        return switch response.object {
        case .none: name
        case .slice(let range): "\(name): \(String(decoding: content[range], as: UTF8.self))"
        case .json(let bytes): "\(name): made anew: \(String(decoding: bytes, as: UTF8.self))"
        }
    }

    /// Returns the same for content that is text in UTF-8.
    func text(_ content: String, _ contentType: String? = nil) throws(ResponseSerializationError) -> String {
        try text(Array(content.utf8), contentType)
    }
}
