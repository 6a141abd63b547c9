package import SessionCore
package import Transfer

/// The sessions of the gateway, by name.
///
/// They do not change while it runs.
package struct SessionCatalog: Sendable {
    /// The sessions in the order of the configuration.
    package let sessions: [Session]
    /// The session of tasks that name none.
    package let defaultName: String?
    private let byName: [String: Session]

    /// Makes the sessions.
    ///
    /// - Parameter transport: Makes the transport of a session: each has its own, so that sessions never share
    ///   connections.
    package init(
        _ configurations: [SessionConfiguration], defaultName: String?,
        transport: (SessionConfiguration) -> any Transport
    ) {
        sessions = configurations.map { Session($0, transport: transport($0)) }
        byName = Dictionary(sessions.map { ($0.name, $0) }) { first, _ in first }
        self.defaultName = defaultName
    }

    /// The session of that name.
    package subscript(name: String) -> Session? {
        byName[name]
    }

    /// The names, in the order of the configuration.
    package var names: [String] {
        sessions.map(\.name)
    }

    /// How many attempts each session may have under way.
    var concurrencyLimits: [String: Int] {
        byName.mapValues { $0.configuration.limits.concurrent }
    }
}
