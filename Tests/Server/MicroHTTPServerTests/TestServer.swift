import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Logging
import MicroHTTPServer
import Testing

/// A server on a free port for one test.
struct TestServer: Sendable {
    let server: MicroHTTPServer
    /// The port of its first TCP listener, or 0.
    let port: UInt16

    /// Runs `body` with a server, then shuts it down and checks that nothing of its requests is left.
    static func with<T: Sendable>(
        _ configuration: ServerConfiguration = .patient, routes: [Route],
        _ body: (TestServer) async throws -> T
    ) async throws -> T {
        try await with(configuration, handler: try Router(routes: routes), body)
    }

    /// Runs `body` with a server, then shuts it down and checks that nothing of its requests is left.
    static func with<T: Sendable>(
        _ configuration: ServerConfiguration = .patient, handler: some HTTPHandler,
        _ body: (TestServer) async throws -> T
    ) async throws -> T {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let server = MicroHTTPServer(configuration: configuration, handler: handler, logger: logger)
        try await server.start()
        let port = await server.addresses.lazy.compactMap(\.port).first ?? 0
        let result: Result<T, any Error>
        do {
            result = .success(try await body(TestServer(server: server, port: port)))
        } catch {
            result = .failure(error)
        }
        await server.shutdown(drain: .seconds(10))
        #expect(server.statistics.connections == 0)
        await server.waitUntilIdle()
        return try result.get()
    }

    /// Returns a new connection.
    func client(receiveBufferBytes: Int32? = nil) throws -> RawHTTPClient {
        try RawHTTPClient(port: port, receiveBufferBytes: receiveBufferBytes)
    }

    /// Returns the response to a request on a new connection.
    func answer(_ request: String, isHead: Bool = false) async throws -> RawHTTPClient.Answer {
        try await client().exchange(request, isHead: isHead)
    }
}

extension ServerConfiguration {
    /// The default configuration, with deadlines that clients meet even on a busy machine.
    static let patient = {
        var configuration = ServerConfiguration()
        configuration.timeouts.header = .seconds(300)
        configuration.timeouts.body = .seconds(300)
        configuration.timeouts.bodyIdle = .seconds(300)
        configuration.timeouts.rateGrace = .seconds(300)
        configuration.timeouts.keepAlive = .seconds(300)
        return configuration
    }()
}

extension MicroHTTPServer {
    /// Waits until the last handler has ended and its exchange is freed.
    nonisolated func waitUntilIdle() async {
        while statistics.exchanges != 0 {
            await Task.yield()
        }
    }
}

extension ServerResponse {
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: [.contentType: "text/plain"], body: .bytes(Array(text.utf8)))
    }
}

/// Returns `GET path` in HTTP/1.1 with further header lines, each with its line end.
func get(_ path: String, _ lines: String = "", method: String = "GET") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n"
}

/// Returns `POST path` with content of known length.
func post(_ path: String, _ content: String, _ lines: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(content.utf8.count)\r\n\(lines)\r\n\(content)"
}

/// Returns a `POST path` head that chunks must follow.
func postChunked(_ path: String, _ lines: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\(lines)\r\n"
}
