import ErrandCryptography
package import ErrandSettings
import ErrandText
import ErrandYAML

/// The clients that may use the gateway, and their rights: section `auth`.
package struct AuthConfiguration: Sendable, Hashable {
    /// The tokens, each with a unique name.
    package var tokens: [Token] = []
    /// True if `/healthz` and the other operation endpoints need a token too.
    package var protectsOperations = false
    /// True if any client that can connect may use every endpoint as long as there are no tokens.
    package var allowsAnonymous = false

    /// Creates a configuration without tokens.
    package init() {}

    /// A token that clients send as `Authorization: Bearer …` (RFC 6750 §2.1).
    package struct Token: Sendable, Hashable {
        /// The name, for logs.
        package var name = ""
        /// The token, or its hash.
        package var credential = Credential.text("")
        /// The scopes of the token, at least one.
        package var scopes = Set(Scope.standard)
        /// The names of the sessions whose tasks the token can access; `nil` for all.
        ///
        /// Each session exists.
        package var sessions: [String]?
        /// The request limit of the token; `nil` for no limit.
        package var rate: Rate?
    }

    /// A permission that a token can have.
    package enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Reads tasks and sessions.
        case tasksRead = "tasks:read"
        /// Creates and controls tasks.
        case tasksWrite = "tasks:write"
        /// Controls sessions and the gateway. Includes the other scopes.
        case admin

        /// The scopes of a token that does not specify any: all but ``admin``.
        static let standard: [Scope] = [.tasksRead, .tasksWrite]
    }

    /// The value that identifies a token.
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
                    variable: "ERRAND_TOKEN", fileVariable: "ERRAND_TOKEN_FILE",
                    summary: "Adds a token with the name `env` and the scope `admin`.", node: addToken),
                "The tokens of clients, sent as `Authorization: Bearer TOKEN`."),
            Setting(
                "protect_operations", \.protectsOperations, .boolean,
                "If true, the endpoints for operators, such as `/healthz`, need a token too."),
            Setting(
                "allow_anonymous", \.allowsAnonymous, .boolean,
                """
                If true, the gateway may listen on other addresses than loopback without tokens. Any client that can \
                connect may then use every endpoint, under any name in `Host` unless `server.hosts` lists names: list \
                them to protect against DNS rebinding. This logs a warning at every start.
                """),
        ]
    ) { auth, node, reader in
        checkDistinct(auth.tokens, in: node, reportingTo: &reader)
        guard auth.allowsAnonymous, reader.isSound("tokens") else { return }
        let message =
            auth.tokens.isEmpty
            ? "any client that can connect may use every endpoint"
            : "allow_anonymous has no effect, because there are tokens"
        reader.warn(message, at: "allow_anonymous", in: node)
    }

    /// Reports equal tokens, because the rights of one of them would have no effect.
    private static func checkDistinct(_ tokens: [Token], in node: YAMLNode?, reportingTo reader: inout SettingReader) {
        var names: [[UInt8]: String] = [:]
        // Unreadable items are left out, so that later items no longer match their nodes.
        guard reader.isReadable("tokens"), node?[YAMLPath(keys: ["tokens"])]?.items?.count ?? 0 == tokens.count else {
            return
        }
        for (index, token) in tokens.enumerated() where reader.isSound([.key("tokens"), .index(index)]) {
            if let name = names.updateValue(token.name, forKey: token.digest) {
                reader.report(
                    "duplicate token: \(name) has the same value", at: [.key("tokens"), .index(index)], in: node)
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
                isRequired: true, "The name of the token in logs, which must be unique."),
            Setting(
                "token", \.text, .nullable(.secret(minimum: 16)),
                "The token itself, at least 16 characters. Set either this or `sha256`."),
            Setting(
                "sha256", \.sha256, .nullable(.sha256),
                "The SHA-256 of the token in 64 hexadecimal digits, so that the file does not contain the token."),
            Setting(
                "scopes", \.scopes, .scopes,
                """
                The permissions of the token, at least one. `tasks:read`: read tasks and sessions. `tasks:write`: \
                create and control tasks. `admin`: control sessions and the gateway; includes the other scopes.
                """),
            Setting(
                "sessions", \.sessions, .nullable(.list(of: .text("name of a session"), isNotEmpty: true)),
                """
                The sessions whose tasks the token can access. Each must exist. Null for all, including sessions \
                that a later reload adds. Deliveries of callbacks are tasks of the session that sends them: to see \
                those without a session of their own, the token needs `callbacks` in the list.
                """),
            Setting(
                "rate", \.rate, .nullable(.rate),
                "The most requests with the token per second, minute or hour; null for no limit."),
        ]
    ) { token, node, reader in
        if let text = token.text, let problem = unsendablePart(of: text) {
            reader.report(
                "the token has \(problem), which clients cannot send; remove it", at: "token", in: node)
        }
        let given = ["token", "sha256"].filter { name in
            node?.mapping?[name].map { !$0.value.isNull } ?? false
        }
        if given.isEmpty {
            reader.report("expected either token or sha256, found neither")
        } else if given.count > 1 {
            reader.report("expected either token or sha256, found both", at: "sha256", in: node)
        }
    }

    /// Returns the part of a token that a header field cannot have (RFC 9110 §5.5), in words; `nil` if there is none.
    ///
    /// A file that became an environment variable often ends with a line break.
    private static func unsendablePart(of text: String) -> String? {
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        if let control = text.utf8.first(where: { ($0 < 0x20 && !isBlank($0)) || $0 == 0x7F }) {
            return control == 0x0A || control == 0x0D ? "a line break" : "a control character"
        }
        return isBlank(text.utf8.first) || isBlank(text.utf8.last) ? "a blank at its start or end" : nil
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
    /// The type of a list of scopes, written in the order of their declarations.
    fileprivate static var scopes: SettingType {
        let list = SettingType<[AuthConfiguration.Scope]>.list(of: .choice(), isNotEmpty: true)
        return list.mapped({ Set($0) }, { scopes in AuthConfiguration.Scope.allCases.filter(scopes.contains) })
    }
}

extension SettingType where Value == [UInt8] {
    /// The type of a SHA-256 in hexadecimal digits.
    ///
    /// The hash counts as a secret, because a weak token can be guessed from it.
    fileprivate static var sha256: SettingType {
        let shape = ScalarShape(
            label: "64 hexadecimal digits", expectation: "64 hexadecimal digits",
            constraint: .pattern("^[0-9A-Fa-f]{64}$", orInteger: false), isSecret: true)
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                guard let hash = Hexadecimal.decode(text), hash.count == 32 else { throw .unexpected }
                return hash
            },
            format: { _ in .redacted })
    }
}
