import YAML

/// Who may use the gateway: section `auth`.
package struct AuthConfiguration: Sendable, Hashable {
    /// The tokens, each with a name of its own.
    package var tokens: [Token] = []
    /// Whether `/healthz` and the other operations need a token too.
    package var protectsOperations = false
    /// Whether anybody who can connect may do everything when there are no tokens.
    package var allowsAnonymous = false

    /// A token that clients send as `Authorization: Bearer …` (RFC 6750 §2.1).
    package struct Token: Sendable, Hashable {
        /// The name, for logs.
        package var name = ""
        /// The token, or its hash.
        package var credential = Credential.text("")
    }

    /// What a token is known by.
    package enum Credential: Sendable, Hashable {
        /// The token itself.
        case text(String)
        /// Its SHA-256, 32 bytes.
        case sha256([UInt8])
    }
}

extension AuthConfiguration {
    static let settings = SettingGroup(
        AuthConfiguration(),
        [
            Setting(
                "tokens", \.tokens, .list(of: .group(Token.settings), distinct: ("name", \.name)),
                environment: EnvironmentOverride(
                    variable: "ERRAND_TOKEN", summary: "Adds a token with the name `env`.", node: addToken),
                "What clients authenticate with, as `Authorization: Bearer TOKEN`. Each token may do everything."),
            Setting(
                "protect_operations", \.protectsOperations, .boolean,
                "Whether `/healthz`, `/readyz` and `/version` need a token too."),
            Setting(
                "allow_anonymous", \.allowsAnonymous, .boolean,
                """
                Whether other addresses than loopback may be listened on without tokens: everybody who can connect may \
                then do everything. Told as a warning at every start.
                """),
        ]
    ) { auth, node, reader in
        guard auth.allowsAnonymous, reader.isSound("tokens") else { return }
        let message =
            auth.tokens.isEmpty
            ? "everybody who can connect may do everything" : "there are tokens, so nobody is let in without one"
        reader.warn(message, at: "allow_anonymous", in: node)
    }

    @Sendable private static func addToken(_ text: String, _ inFile: YAMLNode?) -> YAMLNode {
        let token = YAMLNode.mapping([("name", .quoted("env")), ("token", .quoted(text))])
        guard let inFile, !inFile.isNull else { return .sequence([token]) }
        guard case .sequence(let items) = inFile.content else { return inFile }
        return YAMLNode(.sequence(items + [token]), mark: inFile.mark)
    }
}

extension AuthConfiguration.Token {
    static let settings = SettingGroup(
        AuthConfiguration.Token(),
        [
            Setting(
                "name", \.name,
                .text("name, 1 to 64 characters") { $0.count <= 64 ? nil : "expected at most 64 characters" },
                isRequired: true, "What logs call the token. Each has another."),
            Setting(
                "token", \.text, .nullable(.secret(minimum: 16)),
                "The token itself, at least 16 characters. Either this or `sha256`."),
            Setting(
                "sha256", \.sha256, .nullable(.sha256),
                "The SHA-256 of the token, 64 hexadecimal digits, so that the file holds no secret."),
        ],
        unavailable: ["scopes", "sessions", "rate"]
    ) { _, node, reader in
        let given = ["token", "sha256"].filter { name in
            node?.mapping?[name].map { !$0.value.isNull } ?? false
        }
        if given.isEmpty {
            reader.report("expected either token or sha256, found neither")
        } else if given.count > 1 {
            reader.report("expected either token or sha256, found both", at: "sha256", in: node)
        }
    }

    private var text: String? {
        get { if case .text(let text) = credential { text } else { nil } }
        set { if let newValue { credential = .text(newValue) } }
    }

    private var sha256: [UInt8]? {
        get { if case .sha256(let hash) = credential { hash } else { nil } }
        set { if let newValue { credential = .sha256(newValue) } }
    }
}

extension SettingType where Value == [UInt8] {
    /// A SHA-256 in hexadecimal digits.
    ///
    /// It is as secret as what it was made of is weak.
    fileprivate static var sha256: SettingType {
        let shape = ScalarShape(
            label: "64 hexadecimal digits", expectation: "64 hexadecimal digits",
            constraint: .pattern("^[0-9A-Fa-f]{64}$", orInteger: false), isSecret: true)
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                guard digits.count == 64, text.utf8.count == 64 else { throw .unexpected }
                return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
            },
            format: { _ in .redacted })
    }
}
