import ErrandRequestSerialization
import Testing

@Suite("The form serializer")
struct FormRequestSerializerTests {
    @Test("sends the query as content, with its type and without a charset")
    func content() throws {
        let content = try RequestSerializerKind.form.serializer().serialize(
            #"{"name":"Jürgen Ö","id":1.0,"tags":["a","b"]}"#)
        #expect(content.text == "id=1.0&name=J%C3%BCrgen%20%C3%96&tags%5B%5D=a&tags%5B%5D=b")
        #expect(content.contentType == "application/x-www-form-urlencoded")
    }

    @Test("follows the styles of its options")
    func styles() throws {
        let options = RequestSerializationOptions(
            parameters: ParameterEncoding(
                arrays: .comma, nested: .dots, booleans: .literal, nulls: .literal, spaces: .plus))
        let content = try RequestSerializerKind.form.serializer(options).serialize(
            #"{"a":{"b":["x y",true]},"c":null}"#)
        #expect(content.text == "a.b=x+y,true&c=null")
    }

    @Test("sends empty content with its type for an object without pairs", arguments: ["{}", #"{"a":[]}"#])
    func empty(parameters: String) throws {
        let content = try RequestSerializerKind.form.serializer().serialize(parameters)
        #expect(content.text == "")
        #expect(content.contentType == "application/x-www-form-urlencoded")
    }

    @Test("refuses a top-level array")
    func array() {
        let error = #expect(throws: RequestSerializationError.self) {
            try RequestSerializerKind.form.serializer().serialize(#"["a"]"#)
        }
        #expect(error?.message == "Parameters in a URL, a form or a multipart body must be an object; found an array")
    }
}
