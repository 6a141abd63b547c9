import ErrandText
import ErrandTransfer
import HTTPTypes

/// The request for an access token with client credentials (RFC 6749 §4.4.2).
///
/// The client authenticates with HTTP Basic (§2.3.1), which every server must support.
enum TokenRequest {
    /// Creates the request for `client`.
    ///
    /// - Parameter userAgent: The `User-Agent`; `nil` for none.
    static func make(for client: OAuth2ClientCredentials, userAgent: String?) -> TransferRequest {
        var form = "grant_type=client_credentials"
        if !client.scopes.isEmpty {
            form += "&scope=\(PercentCoding.encode(client.scopes.joined(separator: " ").utf8, spaceIsPlus: true))"
        }
        // The escaping makes a colon in the identifier safe.
        let basic = BasicCredentials(
            username: PercentCoding.encode(client.clientID.utf8, spaceIsPlus: true),
            password: PercentCoding.encode(client.clientSecret.utf8, spaceIsPlus: true)
        ).authorization
        var headers: HTTPFields = [
            .authorization: basic, .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        headers[.userAgent] = userAgent
        return TransferRequest(
            method: .post, url: client.tokenURL, headers: headers,
            // The request may be repeated on another connection, because a surplus token is harmless.
            body: .bytes(Array(form.utf8)), timeouts: client.requestTimeouts, mayResend: true)
    }
}
