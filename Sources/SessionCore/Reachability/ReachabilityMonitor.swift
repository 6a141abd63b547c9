import Authentication
import HTTPTypes
import Locking
import Transfer

import struct Synchronization.Atomic

/// Watches whether the upstream of a session can be reached.
///
/// Any thread. Transfers tell it what they have seen; where the configuration wants probes, one runs at a time, in a
/// task that ``start()`` makes and ``stop()`` ends.
final class ReachabilityMonitor: Sendable {
    private let configuration: SessionConfiguration
    private let transport: any Transport
    private let authenticator: Authenticator?
    /// What probes send, as tasks do.
    private let headers: HTTPFields
    private let clock: any Clock<Duration>
    private let onChange: @Sendable (Reachability) -> Void
    private let state = Mutex(State())
    /// Read after each transfer, most of which have nothing new to say: without the lock.
    private let known = Atomic<Int>(0)

    private struct State {
        var machine = ReachabilityMachine()
        var probing: Task<Void, Never>?
        var hasEnded = false
        /// Changes that wait to be told.
        var untold = ActionQueue<Reachability>()
    }

    /// - Parameter onChange: Told each change, in order, one at a time, on any thread.
    init(
        _ configuration: SessionConfiguration, transport: any Transport, authenticator: Authenticator?,
        headers: HTTPFields, clock: any Clock<Duration>,
        onChange: @escaping @Sendable (Reachability) -> Void
    ) {
        self.configuration = configuration
        self.transport = transport
        self.authenticator = authenticator
        self.headers = headers
        self.clock = clock
        self.onChange = onChange
    }

    /// What is known.
    var current: Reachability {
        state.withLock { $0.machine.state }
    }

    // MARK: Evidence

    /// A transfer has ended.
    ///
    /// It counts when it went to the base URL's origin: what others do says nothing about the upstream.
    /// Where a path is probed, that an upstream answers at all is no evidence for its health: that is the probe's to
    /// say.
    func observe(_ outcome: TransferOutcome, of request: TransferRequest) {
        guard let base = configuration.baseURL, request.url.isSameOrigin(as: base) else { return }
        let evidence = ReachabilityMachine.evidence(of: outcome)
        if evidence == .reachable, case .http = configuration.reachability.probe { return }
        observe(evidence)
    }

    private func observe(_ evidence: Reachability) {
        guard evidence != .unknown, known.load(ordering: .relaxed) != evidence.number else { return }
        let mayTell = state.withLock { state in
            guard let change = state.machine.observe(evidence) else { return false }
            known.store(change.number, ordering: .relaxed)
            return state.untold.append(change)
        }
        guard mayTell else { return }
        while let change = state.withLock({ $0.untold.next() }) { onChange(change) }
    }

    // MARK: Probes

    /// Starts to probe, where the configuration wants that.
    ///
    /// Does nothing while it runs.
    func start() {
        guard let base = configuration.baseURL, needsProbes else { return }
        state.withLock { state in
            guard state.probing == nil, !state.hasEnded else { return }
            state.probing = Task { [weak self, clock, interval = configuration.reachability.interval] in
                while !Task.isCancelled {
                    await self?.probe(base)
                    // Cancelled when the session ends.
                    guard self != nil, (try? await clock.sleep(for: interval)) != nil else { return }
                }
            }
        }
    }

    /// Ends the probes for good: the session has ended.
    func end() {
        state.withLock { $0.hasEnded = true }
        stop()
    }

    /// Ends the probes.
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
            // While nothing is known to be wrong, the session's own transfers will tell.
            if current == .notReachable { await connect(to: base) }
        case .tcp:
            await connect(to: base)
        case .http(let path):
            await request(path, of: base)
        }
    }

    /// How long a probe may take.
    private var patience: Duration {
        configuration.timeouts.connect ?? .seconds(10)
    }

    private func connect(to base: HTTPURL) async {
        let error = await transport.connect(to: base, timeout: patience)
        if error?.code == .canceled || error?.code == .sessionClosed { return }
        observe(error == nil ? .reachable : .notReachable)
    }

    private func request(_ path: String, of base: HTTPURL) async {
        guard let url = try? base.withTrailingSlashPath.resolving(path) else { return }
        var request = TransferRequest(
            method: .get, url: url, headers: headers,
            timeouts: TransferTimeouts(connect: patience, idle: patience, total: patience), mayResend: true)
        do throws(AuthenticationError) {
            if url.isSameOrigin(as: base) { try await authenticator?.authorize(&request) }
        } catch {
            // Without a token there is nothing to be found out about the upstream.
            return
        }
        let outcome = await transport.perform(request, receiver: DroppingReceiver())
        if let head = outcome.head {
            observe((200..<400).contains(head.status) ? .reachable : .notReachable)
        } else if outcome.error?.code != .canceled, outcome.error?.code != .sessionClosed {
            observe(.notReachable)
        }
    }
}

/// Takes nothing but a head.
private final class DroppingReceiver: TransferReceiver {
    func transferDidStart(_ control: any TransferControl) {}
    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }
    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        // The head has told what there is to know.
        .stop(.canceled)
    }
}

extension Reachability {
    /// A number of its own for each case, 0 for what is never evidence.
    fileprivate var number: Int {
        switch self {
        case .unknown: 0
        case .reachable: 1
        case .notReachable: 2
        }
    }
}
