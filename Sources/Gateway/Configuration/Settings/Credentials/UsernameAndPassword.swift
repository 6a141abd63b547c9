import ErrandAuthentication

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
