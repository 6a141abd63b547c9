import Configuration
package import HTTPServer

/// All that a request passes before an endpoint gets it, as one configuration wants it: its id, the rules for browsers,
/// the tokens.
///
/// A reload makes a new one of the new configuration, and puts it in the place of the one before. What was let in by
/// that one ends with it.
package struct FrontDoor: HTTPHandler {
    private let access: AccessControl
    private let handler: RequestIdentity

    /// - Parameters:
    ///   - routes: All routes of the gateway.
    ///   - audit: The log of changes and refusals: the same one through all reloads.
    ///   - former: What is in force until now: tokens with the same name and rate go on with what is left of it.
    /// - Throws: A mistake in the routes, whatever the configuration.
    init(
        _ configuration: GatewayConfiguration, routes: [APIRoute], audit: AuditLog, replacing former: FrontDoor? = nil
    ) throws(RouteError) {
        let access = AccessControl(configuration.auth, audit: audit, replacing: former?.access)
        let router = try Router(
            routes: routes.map { access.guarding($0) }, miss: access.guarding(RouteMiss.answer))
        let isOpen = configuration.auth.tokens.isEmpty && !configuration.auth.allowsAnonymous
        handler = RequestIdentity(
            BrowserRules(
                inner: router, corsOrigins: Set(configuration.server.cors.origins),
                hosts: isOpen ? HostNames(configuration.server) : nil, audit: audit))
        self.access = access
    }

    package func admit(_ head: RequestHead) -> HTTPServer.Admission {
        handler.admit(head)
    }

    package func answer(to problem: ProblemDetails) -> ServerResponse {
        handler.answer(to: problem)
    }
}

extension HostNames {
    /// The configured names, and the addresses that the gateway listens on.
    fileprivate init(_ server: ServerConfiguration) {
        self.init(server.hosts + server.listen.compactMap(\.urlHost))
    }
}
