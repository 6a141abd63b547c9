import ErrandAuthentication
public import ErrandTransfer
import HTTPTypes

/// A handler that answers challenges with a user name and a password, or asks a closure.
public struct ChallengeResponder: ChallengeHandler {
    private let respond: @Sendable (ChallengedRequest) async throws -> TransferRequest?

    /// Creates a handler from a closure that returns the request to send again, or `nil` for no answer.
    public init(_ respond: @escaping @Sendable (ChallengedRequest) async throws -> TransferRequest?) {
        self.respond = respond
    }

    /// Calls the closure.
    public func answer(_ challenged: ChallengedRequest) async throws -> TransferRequest? {
        try await respond(challenged)
    }
}

extension ChallengeHandler where Self == ChallengeResponder {
    /// Returns a handler that answers a challenge of the scheme `Basic` (RFC 7617), once for each request of an attempt.
    ///
    /// The password is sent as text, which only `https` protects.
    ///
    /// - Parameters:
    ///   - username: The user name, without a colon.
    ///   - password: The password.
    public static func basic(username: String, password: String) -> Self {
        ChallengeResponder { challenged in
            guard challenged.previousAnswers == 0, challenged.challenges.contains(where: { $0.scheme == "basic" })
            else { return nil }
            return challenged.request.authorized(
                by: PasswordAnswer.basic(username: username, password: password))
        }
    }

    /// Returns a handler that answers a challenge of the scheme `Digest` (RFC 7616) with the strongest algorithm that
    /// is supported.
    ///
    /// It answers once for each request of an attempt, and again if the server says that the nonce was stale.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password, which is not sent.
    public static func digest(username: String, password: String) -> Self {
        ChallengeResponder { challenged in
            let answer = PasswordAnswer.digest(
                to: challenged.challenges, username: username, password: password, for: challenged.request,
                onlyIfStale: challenged.previousAnswers > 0)
            return answer.map { challenged.request.authorized(by: $0) }
        }
    }

    /// Returns a handler that asks a closure.
    public static func answering(
        _ respond: @escaping @Sendable (ChallengedRequest) async throws -> TransferRequest?
    ) -> Self {
        ChallengeResponder(respond)
    }
}

extension TransferRequest {
    /// Returns the request with a value of `Authorization`.
    fileprivate func authorized(by authorization: String) -> TransferRequest {
        var request = self
        request.headers[.authorization] = authorization
        return request
    }
}
