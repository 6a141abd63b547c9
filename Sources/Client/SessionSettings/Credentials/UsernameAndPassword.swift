import ErrandAuthentication
import ErrandSettings

/// The settings of HTTP Basic and HTTP Digest.
struct UsernameAndPassword: Sendable {
    var username = ""
    var password = ""

    /// True if the name is the secret: without a password, nothing else is.
    private var isNameSecret: Bool { !username.isEmpty && password.isEmpty }

    init(_ username: String = "", _ password: String = "") {
        self.username = username
        self.password = password
    }

    /// The settings of both.
    ///
    /// - Parameters:
    ///   - password: The type of the password.
    ///   - summary: The summary of the password.
    fileprivate static func settings(
        password: SettingType<String>, _ summary: String, make: @escaping @Sendable (String, String) -> Credentials
    ) -> SettingGroup<UsernameAndPassword> {
        SettingGroup(
            credentials: UsernameAndPassword(),
            [
                Setting(
                    "username", \.username, initial: UsernameAndPassword(), isRequired: true, "The user's name."
                ) { $0.isNameSecret ? .secret(minimum: 1) : .text("user name") },
                Setting("password", \.password, password, isRequired: true, summary),
            ],
            make: { make($0.username, $0.password) })
    }
}

extension SettingVariant where Value == Credentials {
    /// HTTP Basic.
    static var basic: SettingVariant {
        SettingVariant(
            BasicCredentials.kind,
            .group(
                UsernameAndPassword.settings(
                    password: .password,
                    """
                    The user's password. `""` for none, as services expect that take a key as the name; the printed \
                    configuration then omits the name.
                    """, make: Credentials.basic)),
            "HTTP Basic, sent with every request (RFC 7617).",
            make: { .basic(username: $0.username, password: $0.password) },
            take: { if case .basic(let name, let password) = $0 { .init(name, password) } else { nil } })
    }

    /// HTTP Digest.
    static var digest: SettingVariant {
        SettingVariant(
            DigestCredentials.kind,
            .group(
                UsernameAndPassword.settings(
                    password: .secret(minimum: 1), "The user's password.", make: Credentials.digest)),
            """
            HTTP Digest (RFC 7616), sent in response to a challenge and, once a challenge is known, with every \
            request.
            """,
            make: { .digest(username: $0.username, password: $0.password) },
            take: { if case .digest(let name, let password) = $0 { .init(name, password) } else { nil } })
    }
}
