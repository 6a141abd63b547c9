import HTTPGrammar
import ResponseSerialization

extension FuzzTarget {
    /// The content of a response (after the first line, its content type), read by every serializer there is.
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

    /// Headers of images: a size is a size.
    static let image = FuzzTarget("image", maxBytes: 512) { input in
        guard let read = try? ImageResponseSerializer().serialize(input, contentType: nil) else { return }
        try SerializedContent.judge(read, of: input)
    }
}
