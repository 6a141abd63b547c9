/// The limits of a single request.
package struct RequestLimits: Sendable, Hashable {
    /// The size limit of a JSON body with one task, in bytes.
    package var maxJSONBytes = 1 << 20
    /// The size limit of a JSON body with several tasks, in bytes.
    package var maxBodyBytes = 64 << 20
    /// The size limit of content that a client sends separately from its task, in bytes; `nil` for no limit.
    package var maxContentBytes: Int?
    /// The most tasks in one batch.
    package var maxBatch = 1000
    /// The nesting limit of JSON bodies.
    package var maxDepth = 64
    /// The longest time that a request may wait for a task.
    package var maxWait = Duration.seconds(60)

    /// Creates the default limits.
    package init() {}
}
