/// The limits of a single request.
package struct RequestLimits: Sendable, Hashable {
    /// The maximum size of the JSON document of one task.
    package var maxJSONBytes: Int
    /// The maximum size of the JSON document of a batch.
    package var maxBodyBytes: Int
    /// The maximum number of tasks in a batch.
    package var maxBatch: Int
    /// The maximum nesting depth of a JSON document.
    package var maxDepth: Int
    /// The maximum time that a request waits for a task.
    package var maxWait: Duration

    /// Creates limits; the defaults are those of the configuration.
    package init(
        maxJSONBytes: Int = 1 << 20, maxBodyBytes: Int = 64 << 20, maxBatch: Int = 1000, maxDepth: Int = 64,
        maxWait: Duration = .seconds(60)
    ) {
        self.maxJSONBytes = maxJSONBytes
        self.maxBodyBytes = maxBodyBytes
        self.maxBatch = maxBatch
        self.maxDepth = maxDepth
        self.maxWait = maxWait
    }
}
