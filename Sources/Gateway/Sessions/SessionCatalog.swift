import Cookies
import Locking
package import Logging
package import SessionCore
import TaskAdmission
import TaskStore

/// The sessions of the gateway, by name: which there are, and the generation of each that is in force.
///
/// What changes that takes turns. Any thread.
package final class SessionCatalog: Sendable {
    /// What callbacks are signed with.
    let callbacks: CallbackSigning
    private let factory: SessionFactory
    private let logger: Logger
    private let state: Mutex<State>
    private let turns = Turns()
    private let reachability = Mutex<(@Sendable (String) -> Void)?>(nil)

    private struct State {
        /// The sessions that are configured, in the order of the file.
        var names: [String] = []
        var defaultName: String?
        /// Those of sessions that were configured once, too: their attempts may be under way.
        var slots: [String: SessionSlot<SessionGeneration>] = [:]
        /// What ends generations that were replaced.
        var endings: [Int: Task<Void, Never>] = [:]
        var lastEnding = 0
        var isMonitoring = false
        var isClosed = false
    }

    /// Makes the sessions.
    ///
    /// - Parameter callbacks: What callbacks are signed with.
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
        state.withLock { $0.names }
    }

    /// The session of tasks that name none.
    package var defaultName: String? {
        state.withLock { $0.defaultName }
    }

    /// The configuration of a session.
    func configuration(of name: String) -> SessionConfiguration? {
        self[name]?.configuration
    }

    /// What holds for when attempts of each session start.
    var rules: [String: SessionRules] {
        state.withLock { $0.slots.compactMapValues { $0.current.map { SessionRules($0.session.configuration) } } }
    }

    /// The session object in force, with what belongs to it.
    func generation(of name: String) -> SessionGeneration? {
        state.withLock { $0.slots[name]?.current }
    }

    private func make(
        _ configuration: SessionConfiguration, continuing former: SessionGeneration? = nil
    ) -> SessionGeneration {
        factory.make(configuration, continuing: former) { [weak self] in
            self?.reachability.withLock { $0 }?(configuration.name)
        }
    }

    // MARK: Attempts

    /// Lets an attempt use the session object in force; `nil` when there is no such session.
    func lease(_ name: String) -> SessionLease? {
        guard let (generation, number) = state.withLock({ $0.slots[name]?.begin() }) else { return nil }
        return SessionLease(generation: generation) { [self] in
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
        await turns.take("") { [self] in
            guard let former = generation(of: name) else { return }
            await detachCookies(of: former)
            replace([Replacement(name: name, former: former, fresh: make(former.session.configuration))])
        }
    }

    // MARK: Configuration

    /// Puts other sessions in force, all of them at once.
    ///
    /// One whose configuration is the same stays as it is. One whose configuration is another gets a fresh session
    /// object, without connections and tokens, with the cookies of the former unless it does something else with
    /// cookies. Attempts under way keep theirs, which ends with the last of them; where it allowed something else
    /// (``SessionConfiguration/allowsTheSame(as:)``) or the session is gone, it begins no transfer any more.
    ///
    /// - Parameter marks: What operators did, as it is stored, for sessions that there were not before.
    func apply(_ configurations: [SessionConfiguration], defaultName: String?, marks: [SessionMark]) async {
        await turns.take("") { [self] in
            guard !state.withLock({ $0.isClosed }) else { return }
            let replacements = await replacements(by: configurations)
            replace(replacements) { state in
                state.names = configurations.map(\.name)
                state.defaultName = defaultName
                for replacement in replacements where replacement.former == nil {
                    state.slots[replacement.name] = state.slots[replacement.name] ?? SessionSlot(name: replacement.name)
                    let mark = marks.first { $0.name == replacement.name }
                    state.slots[replacement.name]?.apply(mark ?? SessionMark(name: replacement.name))
                }
            }
        }
    }

    private func replacements(by configurations: [SessionConfiguration]) async -> [Replacement] {
        var replacements: [Replacement] = []
        for configuration in configurations {
            let former = generation(of: configuration.name)
            guard former?.session.configuration != configuration else { continue }
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

    /// What takes the place of a generation.
    private struct Replacement {
        var name: String
        var former: SessionGeneration?
        /// `nil`: the session is not configured any more.
        var fresh: SessionGeneration?

        /// Whether what a generation has allowed is not allowed any more.
        func revokes(_ generation: SessionGeneration) -> Bool {
            guard let fresh else { return true }
            return !generation.session.configuration.allowsTheSame(as: fresh.session.configuration)
        }
    }

    private func replace(_ replacements: [Replacement], _ change: (inout State) -> Void = { _ in }) {
        let (unused, isMonitoring) = state.withLock { state in
            change(&state)
            let unused = replacements.compactMap { replacement in
                // Those before the former too, whose rules may have been its own until now.
                for generation in state.slots[replacement.name]?.alive ?? [] where replacement.revokes(generation) {
                    generation.revoke()
                }
                return state.slots[replacement.name, default: SessionSlot(name: replacement.name)]
                    .replace(with: replacement.fresh)
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
        state.withLock { $0.isMonitoring = true }
        for name in names { self[name]?.startMonitoring() }
    }

    // MARK: The end

    /// Ends all session objects, after the last attempt; cookies are written down before.
    func close() async {
        await turns.take("") { [self] in
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
