/// The server: section `server`.
package struct ServerConfiguration: Sendable, Hashable {
    /// The addresses to listen on.
    package var listen = [ListenAddress.standard]
    /// The TLS settings of the connections; `nil` for cleartext.
    package var tls: TLS?
    /// The names, besides the listening address, that `Host` may contain, in lower case and without port.
    package var hosts: [String] = []
    /// The size limit of a JSON body with one task, in bytes.
    package var maxJSONBytes = 1 << 20
    /// The size limit of a JSON body with several tasks, in bytes.
    package var maxBodyBytes = 64 << 20
    /// The most tasks in one batch.
    package var maxBatch = 1000
    /// The nesting limit of JSON bodies.
    package var maxDepth = 64
    /// The size limit of the head of a request, in bytes.
    package var maxHeaderBytes = 32 << 10
    /// The most simultaneous connections.
    package var maxConnections = 4096
    /// The most simultaneous connections from one client address.
    package var maxConnectionsPerAddress = 1024
    /// The most bytes of request bodies that are in memory at the same time.
    package var maxBufferedBytes = 256 << 20
    /// The most bytes of large responses that wait for clients to read them.
    package var maxUnsentBytes = 64 << 20
    /// The timeouts.
    package var timeouts = Timeouts()
    /// The minimum rate of a request body after its first 10 s, in bytes per second.
    package var minRateBytesPerSecond = 1 << 10
    /// The longest time that a request may wait for a task.
    package var maxWait = Duration.seconds(60)
    /// The permissions of pages from other origins.
    package var cors = CORS()

    /// The timeouts of the server.
    package struct Timeouts: Sendable, Hashable {
        /// The time from the connection, or the end of the previous request, to the end of the head.
        package var header = Duration.seconds(10)
        /// The time from the end of the head to the end of the body.
        package var body = Duration.seconds(600)
        /// The time between two parts of a body.
        package var bodyIdle = Duration.seconds(30)
        /// The time between two requests on one connection.
        package var keepAlive = Duration.seconds(75)
    }

    /// The permissions of pages from other origins.
    package struct CORS: Sendable, Hashable {
        /// The origins, besides the gateway's own, whose pages may send requests.
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
                The addresses to listen on. `localhost` is 127.0.0.1; with port 0 the system chooses a port. `{unix: \
                PATH, mode: "0660"}` is a socket in the file system. Without `auth.tokens` only loopback addresses \
                and Unix sockets are accepted, unless `auth.allow_anonymous` is true.
                """),
            Setting(
                "tls", \.tls, .nullable(.serverTLS), reload: .restart,
                "The certificate and key for HTTPS, which Unix sockets do not use; null for cleartext."),
            Setting(
                "hosts", \.hosts, .list(of: .host),
                """
                Names that the `Host` header may contain, besides the listening address. Without tokens a request \
                with any other name is refused, which protects against DNS rebinding.
                """),
            Setting("max_json", \.maxJSONBytes, .size(1024...64 << 20), "The size limit of a JSON body with one task."),
            Setting(
                "max_body", \.maxBodyBytes, .size(1024...1 << 30),
                "The size limit of a JSON body with several tasks (a batch)."),
            Setting("max_batch", \.maxBatch, .integer(1...100_000), "The most tasks in one batch."),
            Setting("max_depth", \.maxDepth, .integer(1...512), "The nesting limit of JSON bodies."),
            Setting(
                "max_headers", \.maxHeaderBytes, .size(1024...256 << 10), reload: .restart,
                "The size limit of a request's head: request line and header fields."),
            Setting(
                "max_connections", \.maxConnections, .integer(1...1_000_000), reload: .restart,
                "The most simultaneous connections."),
            Setting(
                "max_connections_per_address", \.maxConnectionsPerAddress, .integer(1...1_000_000), reload: .restart,
                "The most simultaneous connections from one client address."),
            Setting(
                "max_buffered", \.maxBufferedBytes, .size(1 << 20...1 << 40), reload: .restart,
                """
                The most bytes of request bodies in memory, for all connections together. Beyond it the response is \
                503. The last quarter is reserved for bodies of up to 64 KiB.
                """),
            Setting(
                "max_unsent", \.maxUnsentBytes, .size(1 << 20...1 << 40), reload: .restart,
                """
                The most bytes of responses above 64 KiB that wait for clients to read them, for all connections \
                together. Beyond it the response to a GET is 503.
                """),
            Setting("timeouts", \.timeouts, .group(Timeouts.settings), "The timeouts of the server."),
            Setting(
                "min_rate", \.minRateBytesPerSecond, .bytesPerSecond(1...1 << 30), reload: .restart,
                "The minimum rate of a request body, after its first 10 seconds."),
            Setting(
                "max_wait", \.maxWait, .duration(.seconds(1)...(.seconds(3600))),
                """
                The longest time that a request may wait for a task. A longer wait that a client asks for is reduced \
                to it.
                """),
            Setting("cors", \.cors, .group(CORS.settings), "The permissions of web pages from other origins (CORS)."),
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
                "The time limit for receiving the whole head of a request."),
            Setting(
                "body", \.body, .duration(range), reload: .restart,
                "The time limit for receiving the whole body of a request."),
            Setting(
                "body_idle", \.bodyIdle, .duration(range), reload: .restart,
                "The longest time between two parts of a request's body."),
            Setting(
                "keep_alive", \.keepAlive, .duration(range), reload: .restart,
                "The time that an idle connection stays open for the next request."),
        ])
}

extension ServerConfiguration.CORS {
    static let settings = SettingGroup(
        ServerConfiguration.CORS(),
        [
            Setting(
                "origins", \.origins, .list(of: .origin),
                "Origins, besides the gateway's own, whose pages may send requests and read responses.")
        ])
}
