import JSON
import Transfer

/// What a token endpoint answers (RFC 6749 §5).
struct TokenResponse: Sendable, Hashable {
    /// The token.
    let token: String
    /// How long it is good; `nil` when the server does not say.
    let lifetime: Duration?

    /// The most bytes of an answer that are read.
    static let maxBytes = 64 * 1024
    /// The longest lifetime that is believed; a longer one is cut to it.
    static let maxLifetimeSeconds = 365.0 * 86_400

    /// Reads an answer.
    ///
    /// - Throws: What is wrong, without a word of the answer that the RFC does not define.
    init(status: Int, body: [UInt8]) throws(AuthenticationError) {
        guard (200...299).contains(status) else { throw Self.refusal(status: status, body: body) }
        guard let object = Self.object(body) else {
            throw Self.unreadable("is no JSON object")
        }
        guard let token = object["access_token"]?.string, !token.isEmpty else {
            throw Self.unreadable("has no access_token")
        }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.unreadable("has an access_token that no header field can hold")
        }
        guard object["token_type"]?.string?.lowercased() == "bearer" else {
            throw Self.unreadable("has another token_type than Bearer")
        }
        self.token = token
        lifetime = try Self.lifetime(object["expires_in"])
    }

    private static func object(_ body: [UInt8]) -> JSONObject? {
        do {
            return try JSONDocument.parse(body, limits: JSONLimits(maxDepth: 32)).root.object
        } catch {
            // The place of a syntax error in somebody else's document helps nobody: "no JSON object" says enough.
            return nil
        }
    }

    /// A number of seconds, which some servers write as a string.
    private static func lifetime(_ value: JSONValue?) throws(AuthenticationError) -> Duration? {
        let seconds: Double?
        switch value?.kind {
        case nil, .null: return nil
        case .number(let number): seconds = number.double
        case .string(let text): seconds = Double(text)
        default: seconds = nil
        }
        guard let seconds, seconds.isFinite, seconds >= 0 else {
            throw unreadable("has an expires_in that is no number of seconds")
        }
        return .seconds(min(seconds, maxLifetimeSeconds))
    }

    // MARK: Errors

    private static func unreadable(_ fault: String) -> AuthenticationError {
        AuthenticationError(.authenticationFailed, "The token endpoint's answer \(fault)")
    }

    /// Another status than one of success (RFC 6749 §5.2): of no use to ask again, unless the server is in trouble.
    private static func refusal(status: Int, body: [UInt8]) -> AuthenticationError {
        let word = object(body)?["error"]?.string.flatMap { words.contains($0) ? $0 : nil }
        let isPassing = status >= 500 || status == 429 || status == 408 || word == "temporarily_unavailable"
        let detail = word.map { ": \($0)" } ?? ""
        return AuthenticationError(
            .authenticationFailed, "The token endpoint answered with status \(status)\(detail)", isRetryable: isPassing)
    }

    /// The words that may be shown: those that RFC 6749 §4.1.2.1 and §5.2 define.
    private static let words: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "access_denied", "server_error", "temporarily_unavailable",
    ]
}

extension TokenResponse: RedactedReflection {
    /// Nothing of the token.
    var description: String { "token response [redacted]" }
}
