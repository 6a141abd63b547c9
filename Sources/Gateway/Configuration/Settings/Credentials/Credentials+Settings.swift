import ErrandAuthentication
import ErrandYAML

extension SettingType where Value == Credentials {
    /// The type of a mapping with exactly one kind of credentials.
    static var credentials: SettingType {
        .oneOf([
            SettingVariant(
                "basic", .group(UsernameAndPassword.settings(make: Credentials.basic)),
                "HTTP Basic, sent with every request (RFC 7617).",
                make: { .basic(username: $0.username, password: $0.password) },
                take: { if case .basic(let name, let password) = $0 { .init(name, password) } else { nil } }),
            SettingVariant(
                "digest", .group(UsernameAndPassword.settings(make: Credentials.digest)),
                """
                HTTP Digest (RFC 7616), sent in response to a challenge and, once a challenge is known, with every \
                request.
                """,
                make: { .digest(username: $0.username, password: $0.password) },
                take: { if case .digest(let name, let password) = $0 { .init(name, password) } else { nil } }),
            SettingVariant(
                "bearer", .group(BearerToken.settings), "A bearer token (RFC 6750 §2.1).",
                make: { .bearer(token: $0.token) },
                take: { if case .bearer(let token) = $0 { BearerToken(token: token) } else { nil } }),
            SettingVariant(
                "api_key", .group(APIKeySettings.settings), "A fixed value in a header field or a query item.",
                make: { $0.credentials },
                take: { if case .apiKey(let key) = $0 { APIKeySettings(key) } else { nil } }),
            SettingVariant(
                "oauth2", .group(OAuth2Settings.settings),
                """
                A bearer token that is requested with client credentials (RFC 6749 §4.4) and renewed, once for all \
                tasks that wait for it.
                """,
                make: { $0.credentials },
                take: { if case .oauth2(let client) = $0 { OAuth2Settings(client) } else { nil } }),
            SettingVariant(
                "aws_sigv4", .group(AWSCredentials.settings),
                "A signature of each request (AWS Signature Version 4).",
                make: { .awsSignature4($0) },
                take: { if case .awsSignature4(let credentials) = $0 { credentials } else { nil } }),
        ])
    }
}

extension SettingGroup {
    /// Creates a group of credential settings, validated as an `Authenticator` does.
    ///
    /// - Parameter make: Returns the credentials, or `nil` after reporting that they are incomplete.
    init(
        credentials initial: Owner, _ settings: [Setting<Owner>], make: @escaping @Sendable (Owner) -> Credentials?
    ) {
        self.init(initial, settings) { value, node, reader in
            if let credentials = make(value) { reader.report(credentials.problems, in: node) }
        }
    }
}

extension SettingReader {
    /// Reports problems of credentials.
    ///
    /// Settings that are missing or were already refused are not reported again.
    mutating func report(_ problems: [CredentialsProblem], in node: YAMLNode?) {
        for problem in problems where node?.mapping?[problem.member] != nil && isSound(problem.member) {
            report(problem.detail, at: problem.member, in: node)
        }
    }
}

/// The settings of a bearer token.
struct BearerToken: Sendable {
    var token = ""

    static let settings = SettingGroup(
        credentials: BearerToken(),
        [Setting("token", \.token, .secret(minimum: 1), isRequired: true, "The token.")],
        make: { .bearer(token: $0.token) })
}

extension AWSCredentials {
    static let settings = SettingGroup(
        credentials: AWSCredentials(region: "", service: "", accessKey: "", secretKey: ""),
        [
            Setting("region", \.region, .text(), isRequired: true, "The region, such as `eu-west-1`."),
            Setting("service", \.service, .text(), isRequired: true, "The service, such as `s3`."),
            Setting("access_key", \.accessKey, .text(), isRequired: true, "The access key's identifier."),
            Setting("secret_key", \.secretKey, .secret(minimum: 1), isRequired: true, "The access key itself."),
            Setting(
                "session_token", \.sessionToken, .nullable(.secret(minimum: 1)),
                "The session token of temporary credentials; null for permanent ones."),
        ],
        make: { .awsSignature4($0) })
}
