import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/basic-auth")
struct BasicAuthEndpointTests {
    @Test("accepts the decoded name and password of the path")
    func letsIn() async throws {
        let client = try EchoClient()
        // "Aladdin:open sesame", the example of RFC 7617 §2.
        let headers: HTTPFields = [.authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        let response = try await client.ask(.get, "/basic-auth/Aladdin/open%20sesame", headers: headers)
        #expect(response.status == 200)
        #expect(response.text == #"{"authenticated":true,"user":"Aladdin"}"#)
        let lowerCase: HTTPFields = [.authorization: "basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
        #expect(try await client.ask(.get, "/basic-auth/Aladdin/open%20sesame", headers: lowerCase).status == 200)
    }

    @Test(
        "challenges all other requests",
        arguments: [nil, "Basic", "Basic ", "Basic QWxhZGRpbjpvcGVu", "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "%%%"])
    func challenges(authorization: String?) async throws {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        let response = try await EchoClient().ask(.get, "/basic-auth/Aladdin/open%20sesame", headers: headers)
        #expect(response.status == 401)
        #expect(response.headers[.wwwAuthenticate] == #"Basic realm="echo", charset="UTF-8""#)
    }
}
