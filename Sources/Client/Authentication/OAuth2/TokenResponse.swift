import ErrandJSON
import ErrandTransfer

/// The response of a token endpoint (RFC 6749 §5).
struct TokenResponse: Sendable, Hashable {
    /// The access token.
    let token: String
    /// The lifetime; `nil` if the server does not tell.
    let lifetime: Duration?

    /// The most bytes of a response that are read.
    static let maxBytes = 64 * 1024
    /// The longest lifetime in seconds; longer ones are reduced to it.
    static let maxLifetimeSeconds = 365.0 * 86_400

    /// Parses a response.
    ///
    /// - Throws: ``AuthenticationError`` with the fault; quotes only words that the RFC defines.
    init(status: Int, body: [UInt8]) throws(AuthenticationError) {
        guard (200...299).contains(status) else { throw Self.refusal(status: status, body: body) }
        guard let object = Self.object(body) else {
            throw Self.unreadable("is not a JSON object")
        }
        guard let token = object["access_token"]?.string, !token.isEmpty else {
            throw Self.unreadable("has no access_token")
        }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.unreadable("has an access_token with invalid characters")
        }
        guard object["token_type"]?.string?.lowercased() == "bearer" else {
            throw Self.unreadable("has a token_type other than Bearer")
        }
        self.token = token
        lifetime = try Self.lifetime(object["expires_in"])
    }

    private static func object(_ body: [UInt8]) -> JSONObject? {
        do {
            return try JSONDocument.parse(body, limits: JSONLimits(maxDepth: 32)).root.object
        } catch {
            // The position of a syntax error in the server's document is of no use here.
            return nil
        }
    }

    /// Parses a number of seconds, which some servers write as a string.
    private static func lifetime(_ value: JSONValue?) throws(AuthenticationError) -> Duration? {
        let seconds: Double?
        switch value?.kind {
        case nil, .null: return nil
        case .number(let number): seconds = number.double
        case .string(let text): seconds = Double(text)
        default: seconds = nil
        }
        guard let seconds, seconds.isFinite, seconds >= 0 else {
            throw unreadable("has an expires_in that is not a number of seconds")
        }
        return .seconds(min(seconds, maxLifetimeSeconds))
    }

    // MARK: Errors

    private static func unreadable(_ fault: String) -> AuthenticationError {
        AuthenticationError(.authenticationFailed, "The token endpoint's response \(fault)")
    }

    /// Returns the error for an unsuccessful status (RFC 6749 §5.2); a retry only makes sense if the server has a
    /// problem.
    private static func refusal(status: Int, body: [UInt8]) -> AuthenticationError {
        let word = object(body)?["error"]?.string.flatMap { words.contains($0) ? $0 : nil }
        let isPassing = status >= 500 || status == 429 || status == 408 || word == "temporarily_unavailable"
        let detail = word.map { ": \($0)" } ?? ""
        return AuthenticationError(
            .authenticationFailed, "The token endpoint returned status \(status)\(detail)", isRetryable: isPassing)
    }

    /// The error codes that may be shown: those defined in RFC 6749 §4.1.2.1 and §5.2.
    private static let words: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "access_denied", "server_error", "temporarily_unavailable",
    ]
}

extension TokenResponse: RedactedReflection {
    /// A fixed text, without the token.
    var description: String { "token response [redacted]" }
}
