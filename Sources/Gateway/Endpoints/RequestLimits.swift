/// The limits of what clients may ask for in one request.
package struct RequestLimits: Sendable, Hashable {
    /// The largest JSON document of one task.
    package var maxJSONBytes: Int
    /// The largest JSON document of several tasks.
    package var maxBodyBytes: Int
    /// The most tasks of one batch.
    package var maxBatch: Int
    /// The deepest nesting of a JSON document.
    package var maxDepth: Int
    /// The longest time that a request waits for a task.
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
