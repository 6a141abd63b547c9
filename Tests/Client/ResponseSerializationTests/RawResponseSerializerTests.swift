import ErrandHTTPGrammar
import ErrandResponseSerialization
import Testing

@Suite("The raw response serializer")
struct RawResponseSerializerTests {
    @Test("returns no object for any content of any type")
    func raw() throws {
        let serializer: any ResponseSerializer = .raw
        #expect(serializer.acceptableContentTypes == nil)
        #expect(!serializer.readsContent(of: MediaType("application/json")))
        #expect(try serializer.text([0xFF], "application/json") == "raw")
        #expect(try serializer.text([]) == "raw")
    }
}
