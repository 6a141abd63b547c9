import Digest
import HTTPServer
import HTTPTypes

/// A token that opens the gateway.
///
/// Only its digest is kept.
package struct AccessToken: Sendable, Hashable {
    /// The name for logs.
    package let name: String
    /// The SHA-256 of the token, 32 bytes.
    package let sha256: [UInt8]

    /// Creates a token from its digest.
    package init(name: String, sha256: [UInt8]) {
        self.name = name
        self.sha256 = sha256
    }
}

/// Lets requests in that show a token: `Authorization: Bearer …` (RFC 6750 §2.1).
///
/// Without tokens everybody is let in.
struct AccessControl: HTTPHandler {
    let inner: any HTTPHandler
    let tokens: [AccessToken]
    /// Operations need a token too.
    let protectsOperations: Bool

    func admit(_ head: RequestHead) -> HTTPServer.Admission {
        guard !tokens.isEmpty, protectsOperations || !Self.isOperation(head) else { return inner.admit(head) }
        guard let presented = Self.bearerToken(of: head) else {
            return .answer(
                head.answer(
                    .unauthorized, "a token is needed: Authorization: Bearer …",
                    headers: [.wwwAuthenticate: #"Bearer realm="errand""#]))
        }
        guard isKnown(presented) else {
            return .answer(
                head.answer(
                    .unauthorized, "the token is not known",
                    headers: [.wwwAuthenticate: #"Bearer realm="errand", error="invalid_token""#]))
        }
        return inner.admit(head)
    }

    /// Compares with every token, each in constant time: how long it takes tells nothing about how close a guess was.
    private func isKnown(_ presented: String) -> Bool {
        let digest = SHA256.hash(Array(presented.utf8))
        return tokens.reduce(false) { found, token in
            let isEqual = constantTimeEquals(digest, token.sha256)
            return found || isEqual
        }
    }

    /// What says how the gateway is, and nothing about tasks.
    private static func isOperation(_ head: RequestHead) -> Bool {
        switch head.target.segments.first {
        case "healthz", "readyz", "version", "problems", "": true
        default: false
        }
    }

    private static func bearerToken(of head: RequestHead) -> String? {
        let values = head.headers[values: .authorization]
        guard values.count == 1, let value = values.first else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
