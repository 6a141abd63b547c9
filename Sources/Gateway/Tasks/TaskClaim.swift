import Digest
import JSON
import TaskStore

/// What a client's key stands for: the key, and what the request asks for.
struct TaskClaim: Sendable, Hashable {
    /// The key.
    let key: IdempotencyKey
    /// SHA-256 of the task in a canonical form, without the key.
    let payload: [UInt8]

    /// The member of a task that has the key, in a batch and in what is stored.
    static let member = "idempotency_key"

    /// Creates the claim of a task.
    ///
    /// The order of members, white space and the spelling of strings make no difference, and neither does where the
    /// key stood: a task that was created alone can be sent again in a batch.
    init(_ key: IdempotencyKey, on task: JSONObject) {
        self.key = key
        var writer = JSONWriter()
        writer.canonical(JSONValue(.object(JSONObject(task.members.filter { $0.key != Self.member }))))
        payload = SHA256.hash(writer.bytes)
    }

    /// The task as it is kept: the key is part of it, wherever it stood, so that it can go upstream with each attempt.
    func document(of task: JSONObject, in document: JSONDocument) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(key.text)
        return document.replacing([(Self.member, writer.bytes)], in: task)
    }

    /// The claim as it is stored with the task.
    ///
    /// - Parameters:
    ///   - owner: The name of the token that was shown; `nil` without one.
    ///   - expiresAt: From when on the key means nothing any more.
    func stored(for owner: String?, until expiresAt: Timestamp) -> IdempotencyClaim {
        IdempotencyClaim(owner: owner ?? "", key: key.text, payload: payload, expiresAt: expiresAt)
    }
}
