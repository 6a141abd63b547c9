import ErrandHTTPServer
import ErrandLogs
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
    /// The ends of connections and requests.
    let ends: EventLog<Void>

    /// Runs `body` with a server, then shuts it down and checks that nothing of its requests is left.
    static func with<T: Sendable>(
        _ configuration: ServerConfiguration = .patient, routes: [Route],
        _ body: (TestServer) async throws -> T
    ) async throws -> T {
        try await with(configuration, handler: try Router(routes: routes), body)
    }

    /// Runs `body` with a server, then shuts it down and checks that nothing of its requests is left.
    static func with<T: Sendable>(
        _ configuration: ServerConfiguration = .patient, handler: some HTTPHandler, logger: Logger = .discarding,
        _ body: (TestServer) async throws -> T
    ) async throws -> T {
        let server = try await start(configuration, handler: handler, logger: logger)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await server.server.shutdown(drain: .seconds(10))
        #expect(server.server.statistics.connections == 0)
        await server.waitUntilIdle()
        return try result.get()
    }

    /// Starts a server, which the caller shuts down.
    static func start(
        _ configuration: ServerConfiguration = .patient, handler: some HTTPHandler, logger: Logger = .discarding
    ) async throws -> TestServer {
        let ends = EventLog<Void>()
        let server = MicroHTTPServer(
            configuration: configuration, handler: handler, logger: logger, onDescriptorsExhausted: {},
            onEnd: { ends.append() })
        try await server.start()
        let port = await server.addresses.lazy.compactMap(\.port).first ?? 0
        return TestServer(server: server, port: port, ends: ends)
    }

    /// Returns the error of a server that cannot start; `nil` if it can.
    static func startFailure(_ configuration: ServerConfiguration) async -> MicroHTTPServerError? {
        let server = MicroHTTPServer(configuration: configuration, handler: Nowhere(), logger: .discarding)
        do throws(MicroHTTPServerError) {
            try await server.start()
            await server.shutdown(drain: .zero)
            return nil
        } catch {
            return error
        }
    }

    /// A handler without routes.
    private struct Nowhere: HTTPHandler {
        func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
            .immediate(ServerResponse(status: .notFound))
        }
    }

    /// Waits until the last handler has ended and its exchange is freed.
    func waitUntilIdle() async {
        await wait { $0.exchanges == 0 }
    }

    /// Waits until the last connection is closed.
    func waitUntilUnconnected() async {
        await waitUntilConnections(0)
    }

    /// Waits until only `count` connections are open.
    func waitUntilConnections(_ count: Int) async {
        await wait { $0.connections == count }
    }

    private func wait(until isMet: (ServerStatistics) -> Bool) async {
        while true {
            let seen = ends.events.count
            if isMet(server.statistics) { return }
            _ = await ends.first(seen + 1)
        }
    }

    /// Returns a new connection.
    func client(receiveBufferBytes: Int32? = nil) throws -> RawHTTPClient {
        try RawHTTPClient(port: port, receiveBufferBytes: receiveBufferBytes)
    }

    /// Sends zeros on a connection until the server reads no more of them, or until `limit` bytes are sent.
    ///
    /// - Returns: The number of sent bytes: at least `limit` if the server has not stopped reading.
    func sendUntilBlocked(on client: RawHTTPClient, limit: Int) async throws -> Int {
        let block = [UInt8](repeating: 0, count: 1 << 20)
        var sent = 0
        while sent < limit {
            let count = try client.sendWhatFits(block)
            sent += count
            guard count == 0 else { continue }
            // While the server responds to another client, it would also read from this one.
            _ = try await response(get("/"))
            let more = try client.sendWhatFits(block)
            sent += more
            if more == 0 { break }
        }
        return sent
    }

    /// Returns the response to a request on a new connection.
    func response(_ request: String, isHead: Bool = false) async throws -> RawHTTPClient.Response {
        try await client().exchange(request, isHead: isHead)
    }
}

extension ServerConfiguration {
    /// The default configuration, with deadlines that no client reaches, however busy the machine is.
    static let patient = {
        var configuration = ServerConfiguration()
        configuration.timeouts.header = .seconds(600)
        configuration.timeouts.body = .seconds(600)
        configuration.timeouts.bodyIdle = .seconds(600)
        configuration.timeouts.rateGrace = .seconds(600)
        configuration.timeouts.keepAlive = .seconds(600)
        configuration.timeouts.sendIdle = .seconds(600)
        configuration.timeouts.lingering = .seconds(600)
        return configuration
    }()
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
