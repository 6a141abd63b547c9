import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The client of swift-server, over SwiftNIO.
struct AsyncHTTPClientClient: MeasuredClient {
    private let client: HTTPClient

    init(connections: Int) {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func get(_ url: String) async throws -> Int {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .hours(1))
        guard response.status == .ok else { throw UnexpectedStatus(status: Int(response.status.code)) }
        return try await response.body.collect(upTo: 1 << 20).readableBytes
    }

    func download(_ url: String, to path: String) async throws {
        let delegate = try FileDownloadDelegate(path: path)
        let file = try await client.execute(request: HTTPClient.Request(url: url), delegate: delegate).get()
        guard file.head.status == .ok else { throw UnexpectedStatus(status: Int(file.head.status.code)) }
    }

    func close() async throws {
        try await client.shutdown()
    }
}
