package import ErrandHTTPServer
import ErrandSettings
import ErrandYAML

/// The server: section `server`.
package struct GatewayServerConfiguration: Sendable, Hashable {
    /// The addresses to listen on.
    package var listen = [SocketAddress.standard]
    /// The TLS settings of the connections; `nil` for cleartext.
    package var tls: TLS?
    /// The names, besides the listening address, that `Host` may contain, in lower case and without port.
    package var hosts: [String] = []
    /// The limits of a single request.
    package var requests = RequestLimits()
    /// The limits of the connections.
    package var limits = ServerLimits()
    /// The timeouts and the minimum rate of the connections.
    package var timeouts = ServerTimeouts()
    /// The time for which the server still accepts clients after the gateway was told to stop.
    package var stopDelay = Duration.seconds(5)
    /// The permissions of pages from other origins.
    package var cors = CORS()

    /// The permissions of pages from other origins.
    package struct CORS: Sendable, Hashable {
        /// The origins, besides the gateway's own, whose pages may send requests.
        package var origins: [String] = []
    }
}

extension GatewayServerConfiguration {
    static let settings = SettingGroup(
        GatewayServerConfiguration(),
        [
            Setting(
                "listen", \.listen, .list(of: .socketAddress, orSingle: true, isNotEmpty: true), reload: .restart,
                environment: .addresses("ERRAND_LISTEN"),
                """
                The addresses to listen on. `localhost` is 127.0.0.1; with port 0 the system chooses a port. `{unix: \
                PATH, mode: "0660"}` is a socket in the file system. Without `auth.tokens` only loopback addresses \
                and Unix sockets are accepted, unless `auth.allow_anonymous` is true.
                """),
            Setting(
                "tls", \.tls, .presentSinceStart(.serverTLS),
                """
                The certificate and key for HTTPS, which Unix sockets do not use; null for cleartext. A reload reads \
                the files again, and new connections use them. A change from or to null needs a restart.
                """),
            Setting(
                "hosts", \.hosts, .list(of: .host),
                """
                Names and addresses that the `Host` header may contain, besides loopback and the listening address. \
                Without tokens a request with any other name is refused, which protects against DNS rebinding. With \
                `auth.allow_anonymous` this applies only if the list is not empty; then it needs every name and \
                address that clients and probes use. With tokens it applies only to requests without a token for the \
                endpoints for operators, while the gateway listens on loopback addresses and Unix sockets only.
                """),
            Setting(
                "max_json", \.requests.maxJSONBytes, .size(1024...64 << 20),
                "The size limit of a JSON body with one task."),
            Setting(
                "max_body", \.requests.maxBodyBytes, .size(1024...1 << 30),
                "The size limit of a JSON body with several tasks (a batch)."),
            Setting(
                "max_content", \.requests.maxContentBytes, .nullable(.size(1...1 << 50)),
                """
                The size limit of the content of a task that a client sends with `PUT /v1/tasks/{id}/content` or in a \
                form; `null` for no limit besides `files.min_free`.
                """),
            Setting("max_batch", \.requests.maxBatch, .integer(1...100_000), "The most tasks in one batch."),
            Setting("max_depth", \.requests.maxDepth, .integer(1...512), "The nesting limit of JSON bodies."),
            Setting(
                "max_headers", \.limits.maxHeaderBytes, .size(1024...256 << 10), reload: .restart,
                "The size limit of a request's head: request line and header fields."),
            Setting(
                "max_connections", \.limits.maxConnections, .integer(1...1_000_000), reload: .restart,
                """
                The most simultaneous connections to all addresses of `listen` together. Further ones wait until \
                others end.
                """),
            Setting(
                "max_connections_per_address", \.limits.maxConnectionsPerAddress, .integer(1...1_000_000),
                reload: .restart,
                """
                The most simultaneous connections from one client address to all addresses of `listen` together. \
                Further ones are closed at once. Clients of a Unix socket have no address, and no such limit.
                """),
            Setting(
                "max_buffered", \.limits.maxBufferedBytes, .size(1 << 20...1 << 40), reload: .restart,
                """
                The most bytes of request bodies in memory, for all connections together. Beyond it the response is \
                503. A body counts until the response, also while its client waits for the end of its task (`wait`). \
                The last quarter is reserved for bodies of up to 64 KiB. A larger body than all of this is accepted, \
                up to `max_body`, while no other is in memory.
                """),
            Setting(
                "max_unsent", \.limits.maxPendingResponseBytes, .size(1 << 20...1 << 40), reload: .restart,
                """
                The most bytes of responses, and of pieces of long lists, above 64 KiB that wait for clients to read \
                them, for all connections together. Beyond it the response to a GET is 503, a list of large tasks or \
                schedules that has begun is cut off, and a response of more than 64 KiB to a call that changes tasks \
                or schedules is short.
                """),
            Setting("timeouts", of: timeoutSettings, "The timeouts of the server."),
            Setting(
                "min_rate", \.timeouts.minBodyBytesPerSecond, .bytesPerSecond(1...1 << 30), reload: .restart,
                "The minimum rate of a request body, after its first 10 seconds."),
            Setting(
                "max_wait", \.requests.maxWait, .duration(.seconds(1)...(.seconds(3600))),
                """
                The longest time that a request may wait for a task. A longer wait that a client asks for is reduced \
                to it.
                """),
            Setting(
                "stop_delay", \.stopDelay, .duration(.zero...(.seconds(300))),
                """
                The time after SIGTERM in which the gateway still accepts clients and runs tasks, while `/readyz` is \
                503, so that load balancers stop sending clients before connections are refused. `dispatcher.drain` \
                begins afterwards. SIGINT (Ctrl-C) stops without this delay.
                """),
            Setting("cors", \.cors, .group(CORS.settings), "The permissions of web pages from other origins (CORS)."),
        ]
    ) { server, node, reader in
        guard reader.isSound("listen") else { return }
        // Of all addresses, only a Unix socket has no host.
        if server.tls != nil, server.listen.allSatisfy({ $0.urlHost == nil }) {
            reader.warn("tls has no effect, because all addresses are Unix sockets", at: "tls", in: node)
        }
        let folder = reader.workingDirectory
        for (index, address) in server.listen.enumerated() {
            guard let earlier = server.listen[..<index].firstIndex(where: { $0.conflicts(with: address, from: folder) })
            else { continue }
            let (refused, taken) = (server.shown(index, in: node, reader), server.shown(earlier, in: node, reader))
            reader.report(
                "the system would refuse \(refused) besides \(taken): remove one of them",
                at: [.key("listen"), .index(index)], in: node)
        }
    }

    /// Returns a listening address as the file writes it, unless interpolation inserted something.
    private func shown(_ index: Int, in node: YAMLNode?, _ reader: SettingReader) -> String {
        guard let item = node?[YAMLPath([.key("listen"), .index(index)])], case .scalar(let scalar) = item.content,
            !reader.isInterpolated(item)
        else { return listen[index].description }
        return scalar.text
    }
}

extension GatewayServerConfiguration {
    private static let timeoutRange: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))

    private static let timeoutSettings = SettingGroup(
        GatewayServerConfiguration(),
        [
            Setting(
                "header", \.timeouts.header, .duration(timeoutRange), reload: .restart,
                "The time limit for receiving the whole head of a request."),
            Setting(
                "body", \.timeouts.body, .duration(timeoutRange), reload: .restart,
                """
                The time limit for receiving the whole body of a request. The content of a task that a client sends \
                with `PUT /v1/tasks/{id}/content` or in a form has no such limit; `body_idle` and `min_rate` apply to \
                it.
                """),
            Setting(
                "body_idle", \.timeouts.bodyIdle, .duration(timeoutRange), reload: .restart,
                "The longest time between two parts of a request's body."),
            Setting(
                "keep_alive", \.timeouts.keepAlive, .duration(timeoutRange), reload: .restart,
                "The time that an idle connection stays open for the next request."),
        ])
}

extension GatewayServerConfiguration.CORS {
    static let settings = SettingGroup(
        GatewayServerConfiguration.CORS(),
        [
            Setting(
                "origins", \.origins, .list(of: .origin),
                "Origins, besides the gateway's own, whose pages may send requests and read responses.")
        ])
}
