import Digest
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
        /// What it may be used for: at least one.
        package var scopes = Set(Scope.standard)
        /// The names of the sessions whose tasks it sees, each of which exists; `nil` for all.
        package var sessions: [String]?
        /// The most requests; `nil` for any number.
        package var rate: Rate?
    }

    /// What a token may be used for.
    package enum Scope: String, Sendable, Hashable, CaseIterable {
        /// To look at tasks and sessions.
        case tasksRead = "tasks:read"
        /// To make tasks, and to control them.
        case tasksWrite = "tasks:write"
        /// To control sessions and the gateway, and whatever the others allow.
        case admin

        /// What a token has that is not told otherwise: all but ``admin``.
        static let standard: [Scope] = [.tasksRead, .tasksWrite]
    }

    /// What a token is known by.
    package enum Credential: Sendable, Hashable {
        /// The token itself.
        case text(String)
        /// Its SHA-256, 32 bytes.
        case sha256([UInt8])
    }
}

extension AuthConfiguration.Token {
    /// The SHA-256 of the token, 32 bytes.
    package var digest: [UInt8] {
        switch credential {
        case .text(let text): SHA256.hash(Array(text.utf8))
        case .sha256(let digest): digest
        }
    }
}

extension AuthConfiguration {
    static let settings = SettingGroup(
        AuthConfiguration(),
        [
            Setting(
                "tokens", \.tokens, .list(of: .group(Token.settings), distinct: ("name", \.name)),
                environment: EnvironmentOverride(
                    variable: "ERRAND_TOKEN", summary: "Adds a token with the name `env` and the scope `admin`.",
                    node: addToken),
                "What clients authenticate with, as `Authorization: Bearer TOKEN`."),
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
        guard reader.isSound("tokens") else { return }
        checkDistinct(auth.tokens, node, &reader)
        guard auth.allowsAnonymous else { return }
        let message =
            auth.tokens.isEmpty
            ? "everybody who can connect may do everything" : "there are tokens, so nobody is let in without one"
        reader.warn(message, at: "allow_anonymous", in: node)
    }

    /// Of two tokens that are the same, what one of them may would have no effect.
    private static func checkDistinct(_ tokens: [Token], _ node: YAMLNode?, _ reader: inout SettingReader) {
        var names: [[UInt8]: String] = [:]
        for (index, token) in tokens.enumerated() {
            if let name = names.updateValue(token.name, forKey: token.digest) {
                reader.report(
                    "this is the same token as that of \(name)", at: [.key("tokens"), .index(index)], in: node)
            }
        }
    }

    @Sendable private static func addToken(_ text: String, _ inFile: YAMLNode?) -> YAMLNode {
        let token = YAMLNode.mapping([
            ("name", .quoted("env")), ("token", .quoted(text)),
            ("scopes", .sequence([.quoted(Scope.admin.rawValue)])),
        ])
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
            Setting(
                "scopes", \.scopes, .scopes,
                """
                What the token may be used for, at least one. `tasks:read`: to look at tasks and sessions. `tasks:write`: \
                to make tasks, and to control them. `admin`: to control sessions and the gateway, and whatever the others \
                allow.
                """),
            Setting(
                "sessions", \.sessions, .nullable(.list(of: .text("name of a session"), isNotEmpty: true)),
                """
                The sessions that the token may use: of others it sees no task. Each has to exist; null for all, also for \
                those of a later reload.
                """),
            Setting(
                "rate", \.rate, .nullable(.rate),
                "The most requests with the token, for each second, minute or hour; null for any number."),
        ]
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

extension SettingType where Value == Set<AuthConfiguration.Scope> {
    /// A list of scopes, in the order of their declarations when it is written.
    fileprivate static var scopes: SettingType {
        let list = SettingType<[AuthConfiguration.Scope]>.list(of: .choice(), isNotEmpty: true)
        return list.mapped({ Set($0) }, { scopes in AuthConfiguration.Scope.allCases.filter(scopes.contains) })
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
                guard let hash = HexadecimalText.decode(text), hash.count == 32 else { throw .unexpected }
                return hash
            },
            format: { _ in .redacted })
    }
}
