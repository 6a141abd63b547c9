import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandAuthentication

@Suite("FixedFields")
struct FixedFieldsTests {
    @Test("Each field replaces those of its name, except a cookie, which is added once")
    func several() throws {
        let (key, id) = (try #require(HTTPField.Name("X-Api-Key")), try #require(HTTPField.Name("X-Client-Id")))
        let mechanism = FixedFields(
            HTTPField(name: key, value: "k"), HTTPField(name: id, value: "c"), HTTPField(name: .cookie, value: "a=1"))
        var request = TransferRequest(
            url: try HTTPURL("https://api.example/"), headers: [key: "old", .accept: "*/*", .cookie: "sid=1"])
        for _ in 0..<2 { mechanism.authorize(&request) }
        #expect(request.headers[values: key] == ["k"])
        #expect(request.headers[values: id] == ["c"])
        #expect(request.headers[values: .accept] == ["*/*"])
        #expect(request.headers[fields: .cookie].map(\.value) == ["sid=1", "a=1"])
    }
}
