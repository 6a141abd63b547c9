import ErrandAuthentication
import ErrandSettings

/// The settings of HTTP Basic and HTTP Digest.
struct UsernameAndPassword: Sendable {
    var username = ""
    var password = ""

    init(_ username: String = "", _ password: String = "") {
        self.username = username
        self.password = password
    }

    static func settings(
        make: @escaping @Sendable (String, String) -> Credentials
    ) -> SettingGroup<UsernameAndPassword> {
        SettingGroup(
            credentials: UsernameAndPassword(),
            [
                Setting("username", \.username, .text("user name"), isRequired: true, "The user's name."),
                Setting("password", \.password, .secret(minimum: 1), isRequired: true, "The user's password."),
            ],
            make: { make($0.username, $0.password) })
    }
}

extension SettingVariant where Value == Credentials {
    /// HTTP Basic.
    static var basic: SettingVariant {
        SettingVariant(
            BasicCredentials.kind, .group(UsernameAndPassword.settings(make: Credentials.basic)),
            "HTTP Basic, sent with every request (RFC 7617).",
            make: { .basic(username: $0.username, password: $0.password) },
            take: { if case .basic(let name, let password) = $0 { .init(name, password) } else { nil } })
    }

    /// HTTP Digest.
    static var digest: SettingVariant {
        SettingVariant(
            DigestCredentials.kind, .group(UsernameAndPassword.settings(make: Credentials.digest)),
            """
            HTTP Digest (RFC 7616), sent in response to a challenge and, once a challenge is known, with every \
            request.
            """,
            make: { .digest(username: $0.username, password: $0.password) },
            take: { if case .digest(let name, let password) = $0 { .init(name, password) } else { nil } })
    }
}
