import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandAuthentication

@Suite("TokenRequest")
struct TokenRequestTests {
    static func make(
        _ id: String, _ secret: String, _ scopes: [String] = [], userAgent: String? = nil
    ) throws -> TransferRequest {
        let client = OAuth2ClientCredentials(
            tokenURL: try HTTPURL("https://server.example.com/token"), clientID: id, clientSecret: secret,
            scopes: scopes)
        return TokenRequest.make(for: client, userAgent: userAgent)
    }

    static func body(_ request: TransferRequest) -> String? {
        guard case .bytes(let bytes) = request.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The request equals the example of RFC 6749 §4.4.2")
    func published() throws {
        let request = try Self.make("s6BhdRkqt3", "gX1fBat3bV")
        #expect(request.method == .post && request.url.string == "https://server.example.com/token")
        #expect(request.headers[.authorization] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.headers[.accept] == "application/json")
        #expect(Self.body(request) == "grant_type=client_credentials")
        #expect(request.timeouts.total == .seconds(30))
    }

    @Test("The User-Agent is the given one; without one, none is sent", arguments: ["errand/1.0", nil])
    func userAgent(_ userAgent: String?) throws {
        let request = try Self.make("i", "s", userAgent: userAgent)
        #expect(request.headers[.userAgent] == userAgent)
    }

    @Test("Scopes are sent as one parameter, separated by spaces")
    func scopes() throws {
        #expect(
            Self.body(try Self.make("i", "s", ["repo:read", "mail&all"]))
                == "grant_type=client_credentials&scope=repo%3Aread+mail%26all")
    }

    @Test("Identifier and secret are escaped as in a form before they are joined (RFC 6749 §2.3.1)")
    func escaped() throws {
        // "a%3Ab+c:%C3%A9%25"
        #expect(
            try Self.make("a:b c", "é%").headers[.authorization] == "Basic YSUzQWIrYzolQzMlQTklMjU=")
    }
}
