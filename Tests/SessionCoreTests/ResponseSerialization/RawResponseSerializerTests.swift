import SessionCore
import Testing
import Transfer

@Suite("The raw response serializer")
struct RawResponseSerializerTests {
    @Test("makes nothing of anything, of any type")
    func raw() throws {
        let serializer: any ResponseSerializer = .raw
        #expect(serializer.acceptableContentTypes == nil)
        #expect(!serializer.readsContent)
        #expect(try serializer.serialize([0xFF], of: ResponseHead(status: 200)) == .none)
    }
}
