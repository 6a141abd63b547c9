import ErrandCookies
package import ErrandSessionCore
package import ErrandTaskStore
package import ErrandTime
package import ErrandTransfer
package import Logging

/// Creates the session objects of the gateway.
package struct SessionFactory: Sendable {
    private let transport: @Sendable (SessionConfiguration) -> any Transport
    private let cookies: (any CookieStore)?
    private let uploads: (any UploadFiles)?
    /// Shared by all sessions, as they share the memory of the process.
    private let reading = ReadingBudget()
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - cookies: The store of persistent cookies; without it they end with their session.
    ///   - uploads: Opens the files that tasks send; without it no files can be sent.
    ///   - clock: Measures the time that tasks are suspended, and the time between probes.
    ///   - now: The time of day.
    ///   - transport: Creates the transport of a session: each has its own, so that sessions never share connections.
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

    /// Creates a session object.
    ///
    /// - Parameters:
    ///   - former: The generation that it replaces, with which it shares its rate.
    ///   - keepsCookies: True if they share their cookies too, provided that both treat cookies in the same way, and
    ///     the known reachability, provided that both connect to the same upstream in the same way.
    ///   - onReachabilityChange: Called when its upstream has become reachable or unreachable.
    func make(
        _ configuration: SessionConfiguration, continuing former: SessionGeneration? = nil, keepsCookies: Bool = true,
        onReachabilityChange: @escaping @Sendable () -> Void
    ) -> SessionGeneration {
        let transport = RevocableTransport(transport(configuration))
        let name = configuration.name
        let storage: SessionCookieStorage? =
            if keepsCookies, let former, former.session.configuration.cookies == configuration.cookies {
                former.cookies
            } else if configuration.cookies == .persistent, let cookies {
                SessionCookieStorage(cookies, session: name)
            } else {
                nil
            }
        let session = Session(
            configuration, transport: transport, continuing: former?.session, keepsCookies: keepsCookies,
            cookieStorage: storage,
            onCookieFailure: { [logger] error in
                logger.error(
                    "Cookies could not be stored",
                    metadata: ["session": "\(name)", "error": "\(error.debugDescription)"])
            },
            onReachabilityChange: { [logger] reachability in
                logger.notice(
                    "Reachability changed",
                    metadata: ["session": "\(name)", "reachability": "\(reachability.rawValue)"])
                onReachabilityChange()
            },
            uploads: uploads, reading: reading, clock: clock, now: { [now] in now().milliseconds / 1000 })
        return SessionGeneration(session: session, transport: transport, cookies: storage)
    }
}
