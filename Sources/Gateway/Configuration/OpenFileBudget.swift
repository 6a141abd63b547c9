import ErrandHTTPServer

/// The number of file descriptors of the process, and the configured limits that fit into it.
///
/// A process without free descriptors cannot accept, connect or write. Therefore limits that exceed the budget are
/// lowered at the start and at every reload, and each change is logged.
package struct OpenFileBudget: Sendable, Hashable {
    /// The number of descriptors reserved for everything other than clients and attempts.
    ///
    /// These are the store and its readers, logs, listening sockets, event loops, the resolver, and idle connections.
    package static let reserve = 192
    /// The most descriptors of one attempt with one connection.
    ///
    /// These are the connection and, for a download, the partial file, its folder and that of the destination;
    /// otherwise the file that it sends, and the file for its response.
    package static let perAttempt = 4

    /// The most descriptors that the process may have open.
    package let limit: Int

    /// Creates the budget of a process.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Lowers the limits of connections and attempts that do not fit.
    ///
    /// Attempts may take up to half of the descriptors, client connections the rest. The limit of one client address
    /// stays as it is: it has no effect above that of all connections.
    ///
    /// - Returns: One sentence for each lowered limit, for the log.
    package func fit(_ configuration: inout GatewayConfiguration) -> [String] {
        var changes: [String] = []
        let wanted = configuration.dispatcher.maxRunning
        let connections = configuration.server.limits.maxConnections
        if connections + wanted * Self.perAttempt > available {
            let most = max(1, max(available / 2, available - connections) / Self.perAttempt)
            lower(
                &configuration.dispatcher.maxRunning, to: most, setting: "dispatcher.max_running", addingTo: &changes)
        }
        let attempts = configuration.dispatcher.maxRunning * Self.perAttempt
        lower(
            &configuration.server.limits.maxConnections, to: max(8, available - attempts),
            setting: "server.max_connections", addingTo: &changes)
        return changes
    }

    /// Lowers the limits of a configuration that replaces another while the process runs.
    ///
    /// The limit of connections is that of the start, so that attempts have to fit into the rest.
    ///
    /// - Returns: A sentence for the log, if the limit of attempts is lowered.
    package func fit(
        _ configuration: inout GatewayConfiguration, replacing inForce: GatewayConfiguration
    ) -> [String] {
        // The connections are compared as the next start will lower them.
        var atNextStart = configuration
        _ = fit(&atNextStart)
        configuration.server.limits = atNextStart.server.limits
        var changes: [String] = []
        let most = max(1, (available - inForce.server.limits.maxConnections) / Self.perAttempt)
        lower(&configuration.dispatcher.maxRunning, to: most, setting: "dispatcher.max_running", addingTo: &changes)
        return changes
    }

    /// The descriptors for clients and attempts.
    private var available: Int { max(limit - Self.reserve, 16) }

    private func lower(_ value: inout Int, to most: Int, setting: String, addingTo changes: inout [String]) {
        guard value > most else { return }
        changes.append(
            "lowered \(setting) from \(value) to \(most): the process may open at most \(limit) files (ulimit -n)")
        value = most
    }
}
