/// An HTTP client that is compared with others.
protocol MeasuredClient: Sendable {
    /// Gets a resource, and returns the size of its content, which is read into memory; a status other than 200 is an
    /// error.
    func get(_ url: String) async throws -> Int

    /// Downloads a resource to a file that does not exist.
    func download(_ url: String, to path: String) async throws

    /// Closes the connections.
    func close() async throws
}

/// A response has another status than 200.
struct UnexpectedStatus: Error {
    var status: Int
}

/// A response has no content.
struct EmptyResponse: Error {}
