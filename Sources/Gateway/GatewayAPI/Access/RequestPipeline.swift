package import ErrandConfiguration
package import ErrandHTTPServer

/// The steps before an endpoint, for one configuration: request id, browser rules and access control.
///
/// A reload replaces it by a new one. Requests accepted by the old one are finished by it.
package struct RequestPipeline: HTTPHandler {
    private let access: AccessControl
    private let handler: RequestIdentity

    /// - Parameters:
    ///   - routes: All routes of the gateway.
    ///   - audit: The audit log, kept across reloads.
    ///   - former: The instance in force; tokens with the same name and rate keep their rate limiter.
    /// - Throws: An error in the routes, independent of the configuration.
    package init(
        _ configuration: GatewayConfiguration, routes: [APIRoute], audit: AuditLog,
        replacing former: RequestPipeline? = nil
    ) throws(RouteError) {
        let logsAccess = configuration.logging.access
        let access = AccessControl(
            configuration.auth, audit: audit, logsAccess: logsAccess, hosts: HostNames(forOperations: configuration),
            replacing: former?.access)
        let router = try access.router(of: routes)
        handler = RequestIdentity(
            BrowserRules(
                inner: router, corsOrigins: Set(configuration.server.cors.origins),
                hosts: HostNames(accepting: configuration), audit: audit), logsAccess: logsAccess)
        self.access = access
    }

    /// Creates the steps for a socket that only the owner of the process can connect to: no token is needed.
    package init(forOwner routes: [APIRoute], audit: AuditLog) throws(RouteError) {
        let access = AccessControl(AuthConfiguration(), audit: audit)
        let router = try access.router(of: routes)
        handler = RequestIdentity(BrowserRules(inner: router, corsOrigins: [], hosts: HostNames([]), audit: audit))
        self.access = access
    }

    package func requestID(of head: RequestHead) -> String? {
        handler.requestID(of: head)
    }

    package func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        handler.admit(head, route: &route)
    }

    package func response(to problem: ProblemDetails) -> ServerResponse {
        handler.response(to: problem)
    }
}

extension HostNames {
    /// Creates the set of the configured names and the addresses that the gateway listens on.
    ///
    /// `nil` if clients may use any name: with tokens, which a page does not have, and for anonymous clients if no name
    /// is configured, because they reach the gateway under names that the configuration does not know.
    fileprivate init?(accepting configuration: GatewayConfiguration) {
        let (server, auth) = (configuration.server, configuration.auth)
        guard auth.tokens.isEmpty, !auth.allowsAnonymous || !server.hosts.isEmpty else { return nil }
        self.init(of: server)
    }

    /// Creates the set of the names under which the operations of a gateway with tokens need none.
    ///
    /// `nil` if they need one under every name, and if other machines reach the gateway too: they use names that the
    /// configuration does not know.
    fileprivate init?(forOperations configuration: GatewayConfiguration) {
        let (server, auth) = (configuration.server, configuration.auth)
        guard !auth.tokens.isEmpty, !auth.protectsOperations, server.listen.allSatisfy(\.isLocal) else { return nil }
        self.init(of: server)
    }

    /// Creates the set of the configured names and the addresses that the gateway listens on.
    private init(of server: GatewayServerConfiguration) {
        self.init(server.hosts + server.listen.compactMap(\.urlHost))
    }
}
