import HTTPSession

/// The session of this project.
struct ErrandClient: MeasuredClient {
    private let session: Session

    /// - Parameter url: The base URL: a session connects to private addresses only if its base URL has one.
    init(_ url: String, connections: Int) throws {
        var configuration = SessionConfiguration(name: "bench", baseURL: try HTTPURL(url))
        configuration.response.serializer = .raw
        configuration.connection.maxConnectionsPerHost = connections
        configuration.connection.maxIdleConnections = connections
        session = try Session(configuration)
    }

    func get(_ url: String) async throws -> Int {
        try await session.get(url).data?.count ?? 0
    }

    func download(_ url: String, to path: String) async throws {
        try await session.download(url, to: .path(path))
    }

    func close() async {
        await session.invalidate(cancelingTasks: false)
    }
}
