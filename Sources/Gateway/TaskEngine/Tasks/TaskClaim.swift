import ErrandCryptography
import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// An idempotency key together with the payload of the request.
struct TaskClaim: Sendable, Hashable {
    /// The key.
    let key: IdempotencyKey
    /// The SHA-256 of the task in a canonical form, without the key.
    let payload: [UInt8]

    /// The member with the key, in a task of a batch and in a stored task.
    static let member = "idempotency_key"

    /// Creates the claim of a task.
    ///
    /// The order of members, white space, the spelling of strings and the place of the key make no difference: a task
    /// that was created alone can be sent again in a batch. Only a body with an unpaired surrogate must be repeated byte
    /// for byte.
    ///
    /// - Parameters:
    ///   - task: The task, an object of the document.
    ///   - document: The document that contains the task.
    init(_ key: IdempotencyKey, on task: JSONObject, in document: JSONDocument) {
        self.key = key
        var writer = JSONWriter()
        writer.canonical(JSONValue(.object(JSONObject(task.members.filter { $0.key != Self.member }))))
        // The tree shows all halves as one character: only the text tells them apart.
        let body = document.holdsLoneSurrogates ? task["body"].map(document.slice) : nil
        payload = SHA256.hash(writer.bytes + (body ?? []))
    }

    /// Creates the claim of a task that repeats another one unchanged: the payload is the identifier of the other.
    init(_ key: IdempotencyKey, onCopy copy: TaskRecord) {
        self.key = key
        payload = SHA256.hash((copy.retryOf ?? copy.id).bytes)
    }

    private init(_ key: IdempotencyKey, payload: [UInt8]) {
        self.key = key
        self.payload = payload
    }

    /// Returns the claim of the task together with content that arrives in the same request.
    func covering(contentSHA256 sha256: [UInt8]) -> TaskClaim {
        TaskClaim(key, payload: SHA256.hash(payload + sha256))
    }

    /// Returns the task to be stored: it contains the key, wherever the key came from, so that each attempt can send it
    /// upstream.
    func document(of task: JSONObject, in document: JSONDocument) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(key.text)
        return document.replacing([(Self.member, writer.bytes)], in: task)
    }

    /// Returns the claim as it is stored with the task.
    ///
    /// - Parameters:
    ///   - owner: The name of the caller's token; `nil` without one.
    ///   - expiresAt: The time at which the key expires.
    func stored(for owner: String?, until expiresAt: Timestamp) -> IdempotencyClaim {
        IdempotencyClaim(owner: owner ?? "", key: key.text, payload: payload, expiresAt: expiresAt)
    }
}
