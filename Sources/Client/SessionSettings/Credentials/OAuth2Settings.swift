import ErrandAuthentication
import ErrandSettings
import ErrandTransfer
import ErrandYAML

/// The settings of OAuth 2 client credentials.
///
/// The URL is `nil` until it was read.
struct OAuth2Settings: Sendable {
    var tokenURL: HTTPURL?
    var clientID = ""
    var clientSecret = ""
    var scopes: [String] = []

    init() {}

    init(_ client: OAuth2ClientCredentials) {
        tokenURL = client.tokenURL
        clientID = client.clientID
        clientSecret = client.clientSecret
        scopes = client.scopes
    }

    /// The credentials; `nil` without a URL, which is reported.
    var credentials: Credentials? {
        tokenURL.map {
            .oauth2(
                OAuth2ClientCredentials(tokenURL: $0, clientID: clientID, clientSecret: clientSecret, scopes: scopes))
        }
    }

    static let settings = SettingGroup(
        credentials: OAuth2Settings(),
        [
            Setting(
                "token_url", \.tokenURL, .required(.url), isRequired: true,
                "The token endpoint (RFC 6749 §3.2). It is shown completely, also what `${…}` has inserted."),
            Setting("client_id", \.clientID, .text(), isRequired: true, "The client's identifier."),
            Setting("client_secret", \.clientSecret, .secret(minimum: 1), isRequired: true, "The client's secret."),
            Setting(
                "scopes", \.scopes, .list(of: .text("scope")),
                "The requested scopes; if there are none, the server chooses."),
        ],
        make: { $0.credentials })
}

extension SettingVariant where Value == Credentials {
    /// OAuth 2 client credentials.
    static var oauth2: SettingVariant {
        SettingVariant(
            OAuth2ClientCredentials.kind, .group(OAuth2Settings.settings),
            """
            A bearer token that is requested with client credentials (RFC 6749 §4.4) and renewed, once for all \
            tasks that wait for it.
            """,
            make: { $0.credentials },
            take: { if case .oauth2(let client) = $0 { OAuth2Settings(client) } else { nil } })
    }
}
