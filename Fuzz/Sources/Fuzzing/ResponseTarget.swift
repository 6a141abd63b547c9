import ErrandHTTPGrammar
import ErrandResponseSerialization

extension FuzzTarget {
    /// Fuzzes the content of a response, after a first line with the content type, with every serializer.
    static let response = FuzzTarget("response") { input in
        let line = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
        let type = MediaType(InputText.fieldText(input[..<line]))
        let content = Array(input[line...].dropFirst())
        for kind in ResponseSerializerKind.allCases {
            let serializer = kind.serializer(options: ResponseSerializationOptions(removesNulls: kind == .auto))
            let read: SerializedResponse
            do throws(ResponseSerializationError) {
                read = try serializer.serialize(content, contentType: type)
            } catch {
                continue
            }
            try SerializedContent.judge(read, of: content)
        }
    }

    /// Fuzzes the headers of images, whose sizes must be valid.
    static let image = FuzzTarget("image", maxBytes: 512) { input in
        guard let read = try? ImageResponseSerializer().serialize(input, contentType: nil) else { return }
        try SerializedContent.judge(read, of: input)
    }
}
