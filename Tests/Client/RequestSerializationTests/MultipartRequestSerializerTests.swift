import ErrandRequestSerialization
import ErrandTransfer
import Testing

@Suite("The multipart serializer")
struct MultipartRequestSerializerTests {
    @Test("creates a part for each pair")
    func parts() throws {
        let content = try RequestSerializerKind.multipart.serializer().serialize(
            #"{"b":{"c":[1.10,true]},"a":"x & é","n":null,"e":{}}"#)
        let type = try #require(content.contentType)
        let prefix = "multipart/form-data; boundary="
        #expect(type.hasPrefix(prefix))
        let boundary = type.dropFirst(prefix.count)
        #expect(
            content.text
                == """
                --\(boundary)\r
                Content-Disposition: form-data; name="a"\r
                \r
                x & é\r
                --\(boundary)\r
                Content-Disposition: form-data; name="b[c][]"\r
                \r
                1.10\r
                --\(boundary)\r
                Content-Disposition: form-data; name="b[c][]"\r
                \r
                1\r
                --\(boundary)\r
                Content-Disposition: form-data; name="n"\r
                \r
                \r
                --\(boundary)--\r\n
                """)
    }

    @Test("joins a list with commas")
    func lists() throws {
        let options = RequestSerializationOptions(parameters: ParameterEncoding(arrays: .comma))
        let content = try RequestSerializerKind.multipart.serializer(options).serialize(#"{"a":[1,"b c",null]}"#)
        #expect(content.text?.contains("name=\"a\"\r\n\r\n1,b c,\r\n--") == true)
    }

    @Test("refuses a list with an element that contains a comma")
    func commas() throws {
        let options = RequestSerializationOptions(parameters: ParameterEncoding(arrays: .comma))
        let serializer = RequestSerializerKind.multipart.serializer(options)
        let error = #expect(throws: RequestSerializationError.self) {
            try serializer.serialize(#"{"a":["b,c","d"]}"#)
        }
        #expect(
            error?.message == "In a multipart body, elements of comma-separated arrays must not contain commas")
        // A text outside of a list may contain a comma.
        #expect(try serializer.serialize(#"{"a":"b,c"}"#).text?.contains("b,c") == true)
    }

    @Test("creates an empty form if there are no parts", arguments: [nil, "{}", #"{"a":[]}"#])
    func noPart(parameters: String?) throws {
        let content = try RequestSerializerKind.multipart.serializer().serialize(parameters.map { Array($0.utf8) })
        #expect(content.text == "")
        #expect(content.contentType == "application/x-www-form-urlencoded")
    }

    @Test("creates a source of known length if there is a throttle")
    func throttled() throws {
        let options = RequestSerializationOptions(throttle: BandwidthThrottle(packetBytes: 10, delay: .zero))
        let content = try RequestSerializerKind.multipart.serializer(options).serialize(#"{"a":1}"#)
        guard case .source(let source) = content.body else {
            Issue.record("The content is no source")
            return
        }
        let unthrottled = try RequestSerializerKind.multipart.serializer().serialize(#"{"a":1}"#)
        #expect(source.length == unthrottled.text.map { Int64($0.utf8.count) })
    }

    @Test("refuses a top-level array")
    func array() {
        #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.multipart.serializer().serialize("[1]")
        }
    }
}
