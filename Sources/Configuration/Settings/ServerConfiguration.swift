/// The server: section `server`.
package struct ServerConfiguration: Sendable, Hashable {
    /// The addresses to listen on.
    package var listen = [ListenAddress.standard]
    /// What makes the connections HTTPS ones; `nil` for cleartext.
    package var tls: TLS?
    /// Names besides the listening address that `Host` may carry, in lower case and without port.
    package var hosts: [String] = []
    /// The largest JSON body of one task, in bytes.
    package var maxJSONBytes = 1 << 20
    /// The largest JSON body of several tasks, in bytes.
    package var maxBodyBytes = 64 << 20
    /// The most tasks of one batch.
    package var maxBatch = 1000
    /// How deep JSON bodies may nest.
    package var maxDepth = 64
    /// The largest head of a request, in bytes.
    package var maxHeaderBytes = 32 << 10
    /// The most connections at a time.
    package var maxConnections = 4096
    /// The most connections of one client address at a time.
    package var maxConnectionsPerAddress = 1024
    /// Limits of time.
    package var timeouts = Timeouts()
    /// The least bytes for each second of a request body, after its first 10 s.
    package var minRateBytesPerSecond = 1 << 10
    /// The longest that a request may wait for a task.
    package var maxWait = Duration.seconds(60)
    /// What browsers may do.
    package var cors = CORS()

    /// Limits of time of the server.
    package struct Timeouts: Sendable, Hashable {
        /// From the connection or the end of the last request to the end of a head.
        package var header = Duration.seconds(10)
        /// From the end of the head to the end of the body.
        package var body = Duration.seconds(600)
        /// Between two pieces of a body.
        package var bodyIdle = Duration.seconds(30)
        /// Between two requests on one connection.
        package var keepAlive = Duration.seconds(75)
    }

    /// What browsers may do.
    package struct CORS: Sendable, Hashable {
        /// Origins besides the gateway's own whose pages may send requests.
        package var origins: [String] = []
    }
}

extension ServerConfiguration {
    static let settings = SettingGroup(
        ServerConfiguration(),
        [
            Setting(
                "listen", \.listen, .list(of: .listenAddress, orSingle: true, isNotEmpty: true), reload: .restart,
                environment: .list("ERRAND_LISTEN"),
                """
                Where clients connect. `localhost` is 127.0.0.1, port 0 is one that the system chooses. \
                `{unix: PATH, mode: "0660"}` is a socket in the file system. Without `auth.tokens` only loopback addresses \
                and Unix sockets are taken, unless `auth.allow_anonymous` is true.
                """),
            Setting(
                "tls", \.tls, .nullable(.serverTLS), reload: .restart,
                "What makes the connections HTTPS ones, but for those of Unix sockets; null for cleartext."),
            Setting(
                "hosts", \.hosts, .list(of: .host),
                """
                Names besides the listening address that the `Host` header may carry: without tokens a request for any \
                other is refused, which protects against DNS rebinding.
                """),
            Setting("max_json", \.maxJSONBytes, .size(1024...64 << 20), "The largest JSON body: one task."),
            Setting(
                "max_body", \.maxBodyBytes, .size(1024...1 << 30), "The largest JSON body of several tasks: a batch."),
            Setting("max_batch", \.maxBatch, .integer(1...100_000), "The most tasks of one batch."),
            Setting("max_depth", \.maxDepth, .integer(1...512), "How deep a JSON body may nest."),
            Setting(
                "max_headers", \.maxHeaderBytes, .size(1024...256 << 10), reload: .restart,
                "The largest head of a request: request line and header fields."),
            Setting(
                "max_connections", \.maxConnections, .integer(1...1_000_000), reload: .restart,
                "The most connections at a time."),
            Setting(
                "max_connections_per_address", \.maxConnectionsPerAddress, .integer(1...1_000_000), reload: .restart,
                "The most connections of one client address at a time."),
            Setting("timeouts", \.timeouts, .group(Timeouts.settings), "Limits of time."),
            Setting(
                "min_rate", \.minRateBytesPerSecond, .bytesPerSecond(1...1 << 30), reload: .restart,
                "The least speed of a request body, after its first 10 seconds."),
            Setting(
                "max_wait", \.maxWait, .duration(.seconds(1)...(.seconds(3600))),
                "The longest that a request may wait for a task; what a client asks for beyond is cut."),
            Setting("cors", \.cors, .group(CORS.settings), "What pages of other origins may do."),
        ],
        unavailable: ["max_content"])
}

extension ServerConfiguration.Timeouts {
    private static let range: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))

    static let settings = SettingGroup(
        ServerConfiguration.Timeouts(),
        [
            Setting(
                "header", \.header, .duration(range), reload: .restart,
                "For the whole head of a request, however slowly it comes."),
            Setting(
                "body", \.body, .duration(range), reload: .restart,
                "For the whole body of a request, however steadily it comes."),
            Setting(
                "body_idle", \.bodyIdle, .duration(range), reload: .restart, "Between two pieces of a request's body."),
            Setting(
                "keep_alive", \.keepAlive, .duration(range), reload: .restart,
                "How long an idle connection is kept for the next request."),
        ])
}

extension ServerConfiguration.CORS {
    static let settings = SettingGroup(
        ServerConfiguration.CORS(),
        [
            Setting(
                "origins", \.origins, .list(of: .origin),
                "Origins besides the gateway's own whose pages may send requests and read answers.")
        ])
}
