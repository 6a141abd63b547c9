import ErrandCryptography
import ErrandJSON
import ErrandTaskStore
import ErrandTime

/// An idempotency key together with the payload of the request.
struct TaskClaim: Sendable, Hashable {
    /// The key.
    let key: IdempotencyKey
    /// The SHA-256 of the requested operation: of the task in a canonical form, without the key, or of the task to be
    /// repeated.
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
        payload = Self.hash(of: task, in: document)
    }

    /// Creates the claim of a request that repeats a task: the payload is the identifier of that task, and the members
    /// that replace those of its document.
    ///
    /// The document is not part of it, so that the request is recognized after the task was removed.
    ///
    /// - Parameter overrides: The content of the request; no members are the same as no content.
    init(_ key: IdempotencyKey, onRetryOf original: TaskID, with overrides: JSONDocument? = nil) {
        self.key = key
        var operation = original.bytes
        if let overrides, let changes = overrides.root.object, !changes.members.isEmpty {
            operation += Self.hash(of: changes, in: overrides)
        }
        payload = SHA256.hash(operation)
    }

    private init(_ key: IdempotencyKey, payload: [UInt8]) {
        self.key = key
        self.payload = payload
    }

    private static func hash(of object: JSONObject, in document: JSONDocument) -> [UInt8] {
        var writer = JSONWriter()
        writer.canonical(JSONValue(.object(JSONObject(object.members.filter { $0.key != member }))))
        // The tree shows all halves as one character: only the text tells them apart.
        let body = document.holdsLoneSurrogates ? object["body"].map(document.slice) : nil
        return SHA256.hash(writer.bytes + (body ?? []))
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
