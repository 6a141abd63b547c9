import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandAuthentication

@Suite("TokenResponse")
struct TokenResponseTests {
    static func read(_ body: String, status: Int = 200) throws(AuthenticationError) -> TokenResponse {
        try TokenResponse(status: status, body: Array(body.utf8))
    }

    @Test("The example of RFC 6749 §4.4.3 is parsed")
    func published() throws {
        let response = try Self.read(
            """
            {
              "access_token":"2YotnFZFEjr1zCsicMWpAA",
              "token_type":"example",
              "expires_in":3600,
              "example_parameter":"example_value"
            }
            """.replacing(#""token_type":"example""#, with: #""token_type":"Bearer""#))
        #expect(response.token == "2YotnFZFEjr1zCsicMWpAA")
        #expect(response.lifetime == .seconds(3600))
    }

    @Test(
        "The lifetime is a number or a string of seconds, limited to a year, or unknown",
        arguments: [
            ("", nil), (#","expires_in":null"#, nil), (#","expires_in":"60""#, .seconds(60)),
            (#","expires_in":0"#, .zero), (#","expires_in":1.5"#, .milliseconds(1500)),
            (#","expires_in":1e9"#, .seconds(31_536_000)),
            (#","expires_in":99999999999999999999"#, .seconds(31_536_000)),
        ] as [(String, Duration?)])
    func lifetimes(member: String, lifetime: Duration?) throws {
        #expect(try Self.read(#"{"access_token":"t","token_type":"BEARER"\#(member)}"#).lifetime == lifetime)
    }

    @Test(
        "A response without a valid token is an error that names the cause",
        arguments: [
            ("", "is not a JSON object"), ("[]", "is not a JSON object"), ("{", "is not a JSON object"),
            ("{}", "has no access_token"), (#"{"access_token":"","token_type":"bearer"}"#, "has no access_token"),
            (#"{"access_token":1,"token_type":"bearer"}"#, "has no access_token"),
            (#"{"access_token":"s3 cret","token_type":"bearer"}"#, "has an access_token with invalid characters"),
            (
                #"{"access_token":"s3\r\nX: cret","token_type":"bearer"}"#,
                "has an access_token with invalid characters"
            ),
            (#"{"access_token":"s3é","token_type":"bearer"}"#, "has an access_token with invalid characters"),
            (#"{"access_token":"s3cret"}"#, "has a token_type other than Bearer"),
            (#"{"access_token":"s3cret","token_type":"mac"}"#, "has a token_type other than Bearer"),
            (
                #"{"access_token":"s3cret","token_type":"bearer","expires_in":"soon"}"#,
                "has an expires_in that is not a number of seconds"
            ),
            (
                #"{"access_token":"s3cret","token_type":"bearer","expires_in":-1}"#,
                "has an expires_in that is not a number of seconds"
            ),
            (
                #"{"access_token":"s3cret","token_type":"bearer","expires_in":"inf"}"#,
                "has an expires_in that is not a number of seconds"
            ),
            (
                #"{"access_token":"s3cret","token_type":"bearer","expires_in":1e400}"#,
                "has an expires_in that is not a number of seconds"
            ),
            (
                #"{"access_token":"s3cret","token_type":"bearer","expires_in":true}"#,
                "has an expires_in that is not a number of seconds"
            ),
            (String(repeating: "[", count: 60_000), "is not a JSON object"),
        ])
    func faults(body: String, fault: String) {
        #expect(throws: AuthenticationError(.authenticationFailed, "The token endpoint's response \(fault)")) {
            try Self.read(body)
        }
    }

    @Test(
        "An error response is reported with its status, a code of the RFC, and whether a retry may help",
        arguments: [
            (401, #"{"error":"invalid_client","error_description":"s3cret"}"#, "401: invalid_client", false),
            (400, #"{"error":"s3cret"}"#, "400", false), (400, "s3cret", "400", false), (302, "", "302", false),
            (400, #"{"error":"temporarily_unavailable"}"#, "400: temporarily_unavailable", true),
            (429, "", "429", true), (408, "", "408", true), (500, "", "500", true), (503, "{}", "503", true),
        ])
    func refusals(status: Int, body: String, detail: String, isRetryable: Bool) {
        let error = AuthenticationError(
            .authenticationFailed, "The token endpoint returned status \(detail)", isRetryable: isRetryable)
        #expect(throws: error) { try Self.read(body, status: status) }
    }

    @Test("No mutated response yields a token that breaks a header field", arguments: 0..<10)
    func mutations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let original = Array(#"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"bearer","expires_in":3600}"#.utf8)
        var outcomes: Set<Bool> = []
        for _ in 0..<500 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            do throws(AuthenticationError) {
                let response = try TokenResponse(status: 200, body: bytes)
                #expect(response.token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !response.token.isEmpty)
                #expect(response.lifetime.map { $0 >= .zero } ?? true)
                outcomes.insert(true)
            } catch {
                #expect(error.code == .authenticationFailed)
                outcomes.insert(false)
            }
        }
        #expect(outcomes == [true, false])
    }

    @Test("A response's description shows no token")
    func redacted() throws {
        let response = try Self.read(#"{"access_token":"s3cret","token_type":"bearer"}"#)
        let token = AccessToken(response.token, lifetime: nil, requested: MonotonicInstant(nanoseconds: 0))
        for text in CredentialsTests.texts(of: response) + CredentialsTests.texts(of: token) {
            #expect(!text.contains("s3cret"))
        }
    }
}
