import Cookies
package import Logging
package import SessionCore
package import TaskStore
package import Transfer

/// Makes the session objects of the gateway.
package struct SessionFactory: Sendable {
    private let transport: @Sendable (SessionConfiguration) -> any Transport
    private let cookies: (any CookieStore)?
    private let uploads: (any UploadFiles)?
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - cookies: Where persistent cookies are kept; without it they end with their session.
    ///   - uploads: Opens the files that tasks send; without it they send none.
    ///   - clock: Measures how long tasks are suspended, and the time between probes.
    ///   - now: The time of day.
    ///   - transport: Makes the transport of a session: each has its own, so that sessions never share connections.
    package init(
        cookies: (any CookieStore)? = nil, uploads: (any UploadFiles)? = nil,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger, transport: @escaping @Sendable (SessionConfiguration) -> any Transport
    ) {
        self.transport = transport
        self.cookies = cookies
        self.uploads = uploads
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// Makes a session object.
    ///
    /// - Parameters:
    ///   - former: The one that it takes the place of: they share their cookies when both do the same with them.
    ///   - onReachabilityChange: Told when its upstream has become reachable or unreachable.
    func make(
        _ configuration: SessionConfiguration, continuing former: SessionGeneration? = nil,
        onReachabilityChange: @escaping @Sendable () -> Void
    ) -> SessionGeneration {
        let transport = RevocableTransport(transport(configuration))
        let name = configuration.name
        let storage: SessionCookieStorage? =
            if let former, former.session.configuration.cookies == configuration.cookies {
                former.cookies
            } else if configuration.cookies == .persistent, let cookies {
                SessionCookieStorage(cookies, session: name)
            } else {
                nil
            }
        let session = Session(
            configuration, transport: transport, continuing: former?.session, cookieStorage: storage,
            onCookieFailure: { [logger] error in
                logger.error(
                    "Cookies could not be kept",
                    metadata: ["session": "\(name)", "error": "\(error.debugDescription)"])
            },
            onReachabilityChange: { [logger] reachability in
                logger.notice(
                    "Reachability changed",
                    metadata: ["session": "\(name)", "reachability": "\(reachability.rawValue)"])
                onReachabilityChange()
            },
            uploads: uploads, clock: clock, now: { [now] in now().milliseconds / 1000 })
        return SessionGeneration(session: session, transport: transport, cookies: storage)
    }
}
