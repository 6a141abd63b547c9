import Cookies
import Locking
package import Logging
package import SessionCore
import TaskStore

/// The sessions of the gateway, by name: which there are does not change while it runs, their generations do.
///
/// Any thread.
package final class SessionCatalog: Sendable {
    /// The configurations of the sessions, in the order of the file.
    package let configurations: [SessionConfiguration]
    /// The session of tasks that name none.
    package let defaultName: String?
    private let factory: SessionFactory
    private let logger: Logger
    private let state: Mutex<State>
    private let reachability = Mutex<(@Sendable (String) -> Void)?>(nil)

    private struct State {
        var slots: [String: SessionSlot<SessionGeneration>] = [:]
        /// What ends generations that were replaced.
        var endings: [Int: Task<Void, Never>] = [:]
        var lastEnding = 0
    }

    /// Makes the sessions.
    package init(
        _ configurations: [SessionConfiguration], defaultName: String?, factory: SessionFactory, logger: Logger
    ) {
        self.configurations = configurations
        self.defaultName = defaultName
        self.factory = factory
        self.logger = logger
        state = Mutex(State())
        for configuration in configurations {
            let generation = make(configuration)
            state.withLock { state in
                state.slots[configuration.name] = SessionSlot(name: configuration.name, generation)
            }
        }
    }

    /// The session object in force.
    package subscript(name: String) -> Session? {
        generation(of: name)?.session
    }

    /// The names, in the order of the configuration.
    package var names: [String] {
        configurations.map(\.name)
    }

    /// The configuration of a session.
    func configuration(of name: String) -> SessionConfiguration? {
        self[name]?.configuration
    }

    /// How many attempts each session may have under way.
    var concurrencyLimits: [String: Int] {
        Dictionary(configurations.map { ($0.name, $0.limits.concurrent) }) { first, _ in first }
    }

    /// The session object in force, with what belongs to it.
    func generation(of name: String) -> SessionGeneration? {
        state.withLock { $0.slots[name]?.current }
    }

    private func make(_ configuration: SessionConfiguration) -> SessionGeneration {
        factory.make(configuration) { [weak self] in
            self?.reachability.withLock { $0 }?(configuration.name)
        }
    }

    // MARK: Attempts

    /// Lets an attempt use the session object in force; `nil` when there is no such session.
    func lease(_ name: String) -> SessionLease? {
        guard let (generation, number) = state.withLock({ $0.slots[name]?.begin() }) else { return nil }
        return SessionLease(session: generation.session) { [self] in
            end(state.withLock { $0.slots[name]?.end(number) })
        }
    }

    private func end(_ generation: SessionGeneration?) {
        guard let generation else { return }
        state.withLock { state in
            state.lastEnding += 1
            let number = state.lastEnding
            state.endings[number] = Task {
                await generation.end()
                self.state.withLock { $0.endings[number] = nil }
            }
        }
    }

    // MARK: Operators

    /// What operators did to a session, as it is stored; blank for one that there is not.
    func mark(of name: String) -> SessionMark {
        state.withLock { $0.slots[name]?.mark } ?? SessionMark(name: name)
    }

    /// Takes over what an operator did; nothing for a session that there is not.
    func apply(_ mark: SessionMark) {
        state.withLock { $0.slots[mark.name]?.apply(mark) }
    }

    /// Puts a fresh session object in force, on the same configuration.
    ///
    /// Attempts under way keep theirs, which ends with the last of them. The fresh one has no connections, tokens and
    /// ephemeral cookies; persistent cookies are written down first and loaded again.
    func reset(_ name: String) async {
        guard let former = generation(of: name) else { return }
        await detachCookies(of: former)
        let fresh = make(former.session.configuration)
        former.session.stopMonitoring()
        end(state.withLock { $0.slots[name]?.replace(with: fresh) })
        fresh.session.startMonitoring()
    }

    // MARK: Reachability

    /// Calls `action` with the name of a session whenever its upstream has become reachable or unreachable.
    ///
    /// Replaces the action before.
    func onReachabilityChange(_ action: @escaping @Sendable (String) -> Void) {
        reachability.withLock { $0 = action }
    }

    /// Whether the upstream of a session can be reached, as far as is known.
    func reachability(of name: String) -> Reachability {
        self[name]?.reachability ?? .unknown
    }

    /// Begins to probe the upstreams, where the configuration wants that.
    func startMonitoring() {
        for name in names { self[name]?.startMonitoring() }
    }

    // MARK: The end

    /// Ends all session objects, after the last attempt; cookies are written down before.
    func close() async {
        for name in names {
            guard let generation = generation(of: name) else { continue }
            await detachCookies(of: generation)
            await generation.end()
        }
        for ending in state.withLock({ Array($0.endings.values) }) { await ending.value }
    }

    private func detachCookies(of generation: SessionGeneration) async {
        do throws(CookieStorageError) {
            try await generation.detachCookies()
        } catch {
            logger.error(
                "Cookies were lost",
                metadata: ["session": "\(generation.session.name)", "error": "\(error.debugDescription)"])
        }
    }
}
