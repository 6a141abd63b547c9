import ErrandAuthentication

/// The settings of a bearer token.
struct BearerToken: Sendable {
    var token = ""

    static let settings = SettingGroup(
        credentials: BearerToken(),
        [Setting("token", \.token, .secret(minimum: 1), isRequired: true, "The token.")],
        make: { .bearer(token: $0.token) })
}
