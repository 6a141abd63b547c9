import ErrandCookies
import ErrandLocking
package import ErrandSessionCore
import ErrandTaskAdmission
package import ErrandTaskStore
package import Logging

/// The sessions of the gateway by name, each with its current generation.
///
/// Changes of the catalog run serially. Any thread.
package final class SessionCatalog: Sendable {
    /// The keys and settings that callbacks are signed with.
    package let callbacks: CallbackSigning
    private let factory: SessionFactory
    private let logger: Logger
    private let state: Mutex<State>
    private let serialQueue = SerialQueue()
    private let reachability = Mutex<ReachabilityObserver?>(nil)

    /// A closure that receives the name of a session.
    ///
    /// A closure stored directly in a generic type would be wrapped again at each access.
    private struct ReachabilityObserver {
        let sessionDidChange: @Sendable (String) -> Void
    }

    private struct State {
        /// The configured sessions, in the order of the file.
        var names: [String] = []
        var defaultName: String?
        /// The generations of all sessions, including removed ones, whose attempts may be under way.
        ///
        /// Sessions are never removed here, so that their indices never change.
        var generations: [SessionGenerations<SessionGeneration>] = []
        /// The index of each session.
        var indices: [String: Int] = [:]
        /// The tasks that end replaced generations.
        var endings: [Int: Task<Void, Never>] = [:]
        var lastEnding = 0
        var isMonitoring = false
        var isClosed = false

        /// Returns the index of a session, which is added if it is not known.
        mutating func index(adding name: String) -> Int {
            if let index = indices[name] { return index }
            generations.append(SessionGenerations(name: name))
            indices[name] = generations.count - 1
            return generations.count - 1
        }
    }

    /// Creates the sessions.
    ///
    /// - Parameter callbacks: The keys and settings that callbacks are signed with.
    package init(
        _ configurations: [SessionConfiguration], defaultName: String?,
        callbacks: CallbackSigning = CallbackSigning(), factory: SessionFactory, logger: Logger
    ) {
        self.callbacks = callbacks
        self.factory = factory
        self.logger = logger
        state = Mutex(State(names: configurations.map(\.name), defaultName: defaultName))
        for configuration in configurations {
            let generation = make(configuration)
            state.withLock { state in
                let index = state.index(adding: configuration.name)
                state.generations[index] = SessionGenerations(name: configuration.name, generation)
            }
        }
    }

    /// Returns the current session object.
    package subscript(name: String) -> Session? {
        generation(of: name)?.session
    }

    /// The names, in the order of the configuration.
    package var names: [String] {
        state.withLock { $0.names }
    }

    /// The session of tasks that name none.
    package var defaultName: String? {
        state.withLock { $0.defaultName }
    }

    /// Returns the configuration of a session.
    func configuration(of name: String) -> SessionConfiguration? {
        self[name]?.configuration
    }

    /// The admission rules of each session.
    var rules: [String: SessionRules] {
        state.withLock { state in
            state.indices.compactMapValues { index in
                state.generations[index].current.map { SessionRules($0.session.configuration) }
            }
        }
    }

    /// Returns the current generation of a session.
    package func generation(of name: String) -> SessionGeneration? {
        state.withLock { state in state.indices[name].flatMap { state.generations[$0].current } }
    }

    private func make(
        _ configuration: SessionConfiguration, continuing former: SessionGeneration? = nil,
        keepsCookies: Bool = true
    ) -> SessionGeneration {
        factory.make(configuration, continuing: former, keepsCookies: keepsCookies) { [weak self] in
            self?.reachability.withLock { $0 }?.sessionDidChange(configuration.name)
        }
    }

    // MARK: Attempts

    /// Leases the current session object to an attempt; `nil` if there is no such session.
    func lease(_ name: String) -> SessionLease? {
        state.withLock { state in
            guard let index = state.indices[name], let (generation, number) = state.generations[index].begin() else {
                return nil
            }
            return SessionLease(generation: generation, index: index, number: number)
        }
    }

    /// Ends a lease; to be called once, when its attempt has ended.
    func end(_ lease: SessionLease) {
        let unused = state.withLock { $0.generations[lease.index].end(lease.number) }
        end(unused)
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

    /// Returns the operators' state of a session as it is stored; the default state if there is no such session.
    package func controlState(of name: String) -> SessionControlState {
        state.withLock { state in state.indices[name].map { state.generations[$0].controlState } }
            ?? SessionControlState(name: name)
    }

    /// Applies an operator's change; no-op if there is no such session.
    package func apply(_ controlState: SessionControlState) {
        state.withLock { state in
            if let index = state.indices[controlState.name] { state.generations[index].apply(controlState) }
        }
    }

    /// Replaces the session object by a fresh one with the same configuration.
    ///
    /// Attempts under way keep the old one, which ends with the last of them. The fresh one has no connections, tokens
    /// and ephemeral cookies; persistent cookies are stored first and loaded again.
    func reset(_ name: String) async {
        await serialQueue.run { [self] in
            guard let former = generation(of: name) else { return }
            await detachCookies(of: former)
            let fresh = make(former.session.configuration, continuing: former, keepsCookies: false)
            replace([Replacement(name: name, former: former, fresh: fresh)])
        }
    }

    // MARK: Configuration

    /// Replaces all sessions at once.
    ///
    /// A session with the same configuration stays as it is. A session with another configuration gets a fresh session
    /// object without connections and tokens; it keeps the cookies of the old one if both configurations treat cookies
    /// in the same way, and the known reachability if both connect to the same upstream in the same way. Attempts under
    /// way keep the old one, which ends with the last of them. If the old policy differs
    /// (``SessionConfiguration/allowsTheSame(as:)``) or the session is gone, the old one starts no more transfers.
    ///
    /// - Parameter controlStates: The stored operators' states of sessions that are new.
    package func apply(
        _ configurations: [SessionConfiguration], defaultName: String?, controlStates: [SessionControlState]
    )
        async
    {
        await serialQueue.run { [self] in
            guard !state.withLock({ $0.isClosed }) else { return }
            let replacements = await replacements(by: configurations)
            replace(replacements) { state in
                state.names = configurations.map(\.name)
                state.defaultName = defaultName
                for replacement in replacements where replacement.former == nil {
                    let controlState = controlStates.first { $0.name == replacement.name }
                    let index = state.index(adding: replacement.name)
                    state.generations[index].apply(controlState ?? SessionControlState(name: replacement.name))
                }
            }
        }
    }

    private func replacements(by configurations: [SessionConfiguration]) async -> [Replacement] {
        var replacements: [Replacement] = []
        for configuration in configurations {
            let former = generation(of: configuration.name)
            if let former, former.session.configuration.isSame(as: configuration) { continue }
            if let former, former.session.configuration.cookies != configuration.cookies {
                await detachCookies(of: former)
            }
            let fresh = make(configuration, continuing: former)
            replacements.append(Replacement(name: configuration.name, former: former, fresh: fresh))
        }
        let names = Set(configurations.map(\.name))
        for name in self.names where !names.contains(name) {
            guard let former = generation(of: name) else { continue }
            await detachCookies(of: former)
            replacements.append(Replacement(name: name, former: former, fresh: nil))
        }
        return replacements
    }

    /// The replacement of a generation.
    private struct Replacement {
        var name: String
        var former: SessionGeneration?
        /// The new generation; `nil` if the session is no longer configured.
        var fresh: SessionGeneration?

        /// Returns true if the new policy does not allow what a generation's policy allows.
        func revokes(_ generation: SessionGeneration) -> Bool {
            guard let fresh else { return true }
            return !generation.session.configuration.allowsTheSame(as: fresh.session.configuration)
        }
    }

    private func replace(_ replacements: [Replacement], _ change: (inout State) -> Void = { _ in }) {
        let (unused, isMonitoring) = state.withLock { state in
            change(&state)
            let unused = replacements.compactMap { replacement in
                // Including generations before the last one, whose policy may have been the current one until now.
                let index = state.index(adding: replacement.name)
                for generation in state.generations[index].alive where replacement.revokes(generation) {
                    generation.revoke()
                }
                return state.generations[index].replace(with: replacement.fresh)
            }
            return (unused, state.isMonitoring)
        }
        for replacement in replacements {
            replacement.former?.session.stopMonitoring()
            if isMonitoring { replacement.fresh?.session.startMonitoring() }
        }
        for generation in unused { end(generation) }
    }

    // MARK: Reachability

    /// Calls `action` with the name of a session whenever its upstream has become reachable or unreachable.
    ///
    /// Replaces the previous action.
    func onReachabilityChange(_ action: @escaping @Sendable (String) -> Void) {
        reachability.withLock { $0 = ReachabilityObserver(sessionDidChange: action) }
    }

    /// Returns the reachability of a session's upstream, as far as it is known.
    func reachability(of name: String) -> Reachability {
        self[name]?.reachability ?? .unknown
    }

    /// Starts probing the upstreams of sessions that are configured for it.
    package func startMonitoring() {
        state.withLock { $0.isMonitoring = true }
        for name in names { self[name]?.startMonitoring() }
    }

    // MARK: Closing

    /// Ends all session objects after their last attempt; cookies are stored before.
    package func close() async {
        await serialQueue.run { [self] in
            state.withLock { $0.isClosed = true }
            for name in names {
                guard let generation = generation(of: name) else { continue }
                await detachCookies(of: generation)
                await generation.end()
            }
            for ending in state.withLock({ Array($0.endings.values) }) { await ending.value }
        }
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
