import HTTPTypes
import Transfer

/// The request for an access token by client credentials (RFC 6749 §4.4.2).
///
/// The client is authenticated by HTTP Basic (§2.3.1), which every server takes.
enum TokenRequest {
    /// Limits of time: everybody who needs a token waits this long at most.
    static let timeouts = TransferTimeouts(connect: .seconds(10), idle: .seconds(20), total: .seconds(30))

    /// Makes the request.
    static func make(for client: OAuth2ClientCredentials) -> TransferRequest {
        var form = "grant_type=client_credentials"
        if !client.scopes.isEmpty {
            form += "&scope=\(PercentCoding.encodeForm(client.scopes.joined(separator: " ")))"
        }
        // Escaped, a colon in the identifier does no harm.
        let basic = BasicAuthorization.value(
            username: PercentCoding.encodeForm(client.clientID),
            password: PercentCoding.encodeForm(client.clientSecret))
        return TransferRequest(
            method: .post, url: client.tokenURL,
            headers: [
                .authorization: basic, .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
            ],
            // A token more than needed is no harm: the request may be repeated on another connection.
            body: .bytes(Array(form.utf8)), timeouts: timeouts, mayResend: true)
    }
}
