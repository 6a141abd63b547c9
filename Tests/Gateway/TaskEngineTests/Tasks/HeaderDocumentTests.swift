import ErrandJSON
import HTTPTypes
import Testing

@testable import ErrandTaskEngine

@Suite("HeaderDocument")
struct HeaderDocumentTests {
    private static func text(_ fields: [(name: HTTPField.Name, value: String)]) -> String {
        var headers = HTTPFields()
        for field in fields { headers.append(HTTPField(name: field.name, value: field.value)) }
        var writer = JSONWriter()
        HeaderDocument.write(headers, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("A name with several values has an array at the place of its first field")
    func repeatedNames() {
        #expect(Self.text([]) == "{}")
        #expect(Self.text([(.server, "a")]) == #"{"Server":"a"}"#)
        #expect(
            Self.text([(.server, "a"), (.setCookie, "b"), (.vary, "c"), (.setCookie, "d"), (.vary, "e"), (.age, "1")])
                == #"{"Server":"a","Set-Cookie":["b","d"],"Vary":["c","e"],"Age":"1"}"#)
    }
}
