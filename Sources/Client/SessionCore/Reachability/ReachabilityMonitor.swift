import ErrandAuthentication
import ErrandLocking
import ErrandTime
import ErrandTransfer
import HTTPTypes

import struct Synchronization.Atomic

/// A monitor of the reachability of a session's upstream.
///
/// Any thread. Transfers report their outcomes to it; if the configuration asks for probes, one runs at a time, in a
/// task that ``start()`` creates and ``stop()`` cancels.
final class ReachabilityMonitor: Sendable {
    private let configuration: SessionConfiguration
    private let transport: any Transport
    private let authenticator: Authenticator?
    /// The header fields of probes of the session's own origin, the same as of tasks.
    private let headers: HTTPFields
    /// The header fields of probes of another origin.
    private let foreignHeaders: HTTPFields
    private let clock: any Clock<Duration>
    private let onChange: @Sendable (Reachability) -> Void
    private let state: Mutex<State>
    /// The known state, read without the lock after each transfer, as most transfers change nothing.
    private let known: Atomic<Int>

    private struct State {
        var machine: ReachabilityMachine
        var probing: Task<Void, Never>?
        var hasEnded = false
        /// The changes that have not been reported yet.
        var untold = DrainQueue<Reachability>()
    }

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - reachability: What is known of the upstream already.
    ///   - onChange: Called for each change, in order, one at a time, on any thread.
    init(
        _ configuration: SessionConfiguration, transport: any Transport, authenticator: Authenticator?,
        headers: HTTPFields, foreignHeaders: HTTPFields, clock: any Clock<Duration>, knowing reachability: Reachability,
        onChange: @escaping @Sendable (Reachability) -> Void
    ) {
        state = Mutex(State(machine: ReachabilityMachine(reachability)))
        known = Atomic(reachability.number)
        self.configuration = configuration
        self.transport = transport
        self.authenticator = authenticator
        self.headers = headers
        self.foreignHeaders = foreignHeaders
        self.clock = clock
        self.onChange = onChange
    }

    /// The current reachability.
    var current: Reachability {
        state.withLock { $0.machine.state }
    }

    // MARK: Evidence

    /// Records the end of a transfer.
    ///
    /// Only transfers to the origin of the base URL count; others say nothing about the upstream. If a path is probed,
    /// a response to a transfer is no evidence of reachability: only the probe decides that.
    func observe(_ outcome: TransferOutcome, of request: TransferRequest) {
        guard let base = configuration.baseURL, request.url.isSameOrigin(as: base) else { return }
        let evidence = ReachabilityMachine.evidence(of: outcome)
        if evidence == .reachable, case .http = configuration.reachability.probe { return }
        observe(evidence)
    }

    private func observe(_ evidence: Reachability) {
        guard evidence != .unknown, known.load(ordering: .relaxed) != evidence.number else { return }
        record { $0.observe(evidence) }
    }

    /// Records what was observed, and tells the change of the state if there is one.
    private func record(_ observe: (inout ReachabilityMachine) -> Reachability?) {
        let mayTell = state.withLock { state in
            guard let change = observe(&state.machine) else { return false }
            known.store(change.number, ordering: .relaxed)
            return state.untold.append(change)
        }
        guard mayTell else { return }
        while let change = state.withLock({ $0.untold.next() }) { onChange(change) }
    }

    // MARK: Probes

    /// Starts the probes, if the configuration asks for them.
    ///
    /// Does nothing if they are running.
    func start() {
        guard let base = configuration.baseURL, needsProbes else { return }
        state.withLock { state in
            guard state.probing == nil, !state.hasEnded else { return }
            state.probing = Task { [weak self, clock, interval = configuration.reachability.interval] in
                while !Task.isCancelled {
                    await self?.probe(base)
                    // Sleeping throws if the task is canceled at the end of the session.
                    guard self != nil, (try? await clock.boundedSleep(for: interval)) != nil else { return }
                }
            }
        }
    }

    /// Stops the probes permanently, because the session has ended.
    func end() {
        state.withLock { $0.hasEnded = true }
        stop()
    }

    /// Stops the probes.
    func stop() {
        state.withLock { state in
            defer { state.probing = nil }
            return state.probing
        }?.cancel()
    }

    private var needsProbes: Bool {
        configuration.reachability.probe != .passive || configuration.reachability.holdsWhenUnreachable
    }

    private func probe(_ base: HTTPURL) async {
        switch configuration.reachability.probe {
        case .passive:
            // Unless the upstream is known to be unreachable, the session's own transfers are sufficient.
            if current == .notReachable { await connect(to: base) }
        case .tcp:
            await connect(to: base)
        case .http(let path):
            await request(path, of: base)
        }
    }

    /// The timeout of a probe.
    private var patience: Duration {
        configuration.timeouts.connect ?? .seconds(10)
    }

    private func connect(to base: HTTPURL) async {
        if let error = await transport.connect(to: base, timeout: patience) {
            probeDidFail(error)
        } else {
            observe(.reachable)
        }
    }

    /// Records that a probe has failed before a response.
    ///
    /// A probe that this machine itself has refused says nothing about the upstream.
    private func probeDidFail(_ error: TransferError) {
        guard !error.isLocal else { return }
        switch error.code {
        case .canceled, .sessionClosed: break
        case let code where ReachabilityMachine.isRefusal(code): record { $0.observeRefusal() }
        default: observe(.notReachable)
        }
    }

    private func request(_ path: String, of base: HTTPURL) async {
        guard let url = try? base.withTrailingSlashPath.resolving(path) else { return }
        // Neither the fields nor the credentials of the session are for another origin.
        let isOwn = url.isSameOrigin(as: base)
        let request = TransferRequest(
            method: .get, url: url, headers: isOwn ? headers : foreignHeaders,
            timeouts: TransferTimeouts(connect: patience, idle: patience, total: patience), mayResend: true)
        let outcome: TransferOutcome
        do throws(AuthenticationError) {
            outcome = try await perform(request, authorizedBy: isOwn ? authenticator : nil)
        } catch {
            // Without a token, nothing can be learned about the upstream; without hope for one, tasks need not wait.
            if error.isRetryable != true, ReachabilityMachine.isRefusal(error.code) { record { $0.observeRefusal() } }
            return
        }
        if let head = outcome.head {
            observe((200..<400).contains(head.status) ? .reachable : .notReachable)
        } else if !outcome.hasOnlyWaited, let error = outcome.error {
            probeDidFail(error)
        }
    }

    /// Sends a request, and repeats it once with the answer to an authentication challenge.
    ///
    /// An attempt repeats it more often. A probe of a path that always answers 401 must not discard all tokens that the
    /// tasks of the session use.
    ///
    /// - Returns: The outcome of the last transfer.
    /// - Throws: An error if the request could not be authorized.
    private func perform(
        _ plain: TransferRequest, authorizedBy authenticator: Authenticator?
    ) async throws(AuthenticationError) -> TransferOutcome {
        var challenges = AnsweredChallenges()
        var left = patience
        while true {
            var request = plain
            request.timeouts.total = left
            if let authenticator, !challenges.authorize(&request) { try await authenticator.authorize(&request) }
            // The status suffices.
            let outcome = await transport.perform(request, receiver: DiscardingReceiver(answering: .stop(.canceled)))
            left -= outcome.metrics.active
            guard challenges.count == 0, let authenticator, let head = outcome.head,
                authenticator.challenge(head, for: request, after: &challenges) == .retry, left > .zero
            else { return outcome }
        }
    }
}

extension Reachability {
    /// A distinct number for each case; 0 for the case that is no evidence.
    fileprivate var number: Int {
        switch self {
        case .unknown: 0
        case .reachable: 1
        case .notReachable: 2
        }
    }
}
