import ErrandAuthentication
import ErrandSettings

/// The settings of a bearer token.
struct BearerSettings: Sendable {
    var token = ""

    static let settings = SettingGroup(
        credentials: BearerSettings(),
        [Setting("token", \.token, .secret(minimum: 1), isRequired: true, "The token.")], shorthand: "token",
        make: { .bearer(token: $0.token) })
}

extension SettingVariant where Value == Credentials {
    /// A bearer token.
    static var bearer: SettingVariant {
        SettingVariant(
            BearerCredentials.kind, .group(BearerSettings.settings), "A bearer token (RFC 6750 §2.1).",
            make: { .bearer(token: $0.token) },
            take: { if case .bearer(let token) = $0 { BearerSettings(token: token) } else { nil } })
    }
}
