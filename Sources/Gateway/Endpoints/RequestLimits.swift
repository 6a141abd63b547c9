/// The limits of what clients may ask for in one request.
package struct RequestLimits: Sendable, Hashable {
    /// The largest JSON document of one task.
    package var maxJSONBytes: Int
    /// The deepest nesting of a JSON document.
    package var maxDepth: Int
    /// The longest time that a request waits for a task.
    package var maxWait: Duration

    /// Creates limits; the defaults are those of the configuration.
    package init(maxJSONBytes: Int = 1 << 20, maxDepth: Int = 64, maxWait: Duration = .seconds(60)) {
        self.maxJSONBytes = maxJSONBytes
        self.maxDepth = maxDepth
        self.maxWait = maxWait
    }
}
