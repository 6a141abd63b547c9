/// The life of one transfer as a value: what happened goes in, what is to be done comes out.
///
/// No I/O, no clock.
///
/// ```
/// created ──start──▶ connecting ──willSend──▶ exchanging ──finish──▶ ended
///    │                 │     ▲                    │
///    │          suspend│     │resume              │ a callback decides: failed ──finish──▶ ended
///    └──(suspended)──▶ held ─┘                    │
///             cancel, a limit of time, the library's own end: from anywhere to ended
/// ```
///
/// Actions are performed after the machine was left: libcurl may call back while they are. Whatever ends a transfer
/// first is its outcome; nothing that comes later changes it.
public struct TransferMachine: ~Copyable {
    /// A point in time; all of one machine's come from the same clock and never go back.
    public typealias Instant = MonotonicInstant

    /// What the owner of the machine has to do.
    public enum Action: Sendable, Hashable {
        /// Nothing.
        case none
        /// Hand the transfer to the library, from its first step.
        case attach
        /// Take the transfer back from the library and drop its connection: it is suspended, and nothing was sent.
        case detach
        /// Tell the library which directions stand still, and that the other ones go on.
        case hold(TransferDirections)
        /// Take the transfer back if the library has it, which closes its connection; then ``finish(_:)`` it.
        case end
    }

    private enum State {
        /// Not started. Exits: `start`, `cancel`.
        case created(isSuspended: Bool)
        /// Suspended with no connection and nothing sent. Exits: `resume`, `cancel`.
        case held
        /// The library looks for a connection. Exits: `willSend`, `suspend`, `cancel`, a limit of time, `finish`.
        case connecting
        /// The request is on its way or answered. Exits: a decision to fail, `cancel`, a limit of time, `finish`.
        case exchanging(Flow)
        /// The outcome is decided, and ``Action/end`` given or the library told by its callback's answer. Exit: `finish`.
        case failed(TransferError)
        /// Over. No exit.
        case ended
    }

    /// What holds an exchange back.
    private struct Flow {
        var isSuspended = false
        /// The receiver has asked to wait.
        var isReceiverFull = false
        /// The source had nothing to give.
        var isSourceDry = false
        /// What the library has been told to hold.
        var held: TransferDirections = []

        /// Whether it is the peer's turn, or the network's.
        var isOpen: Bool { !isSuspended && !isReceiverFull && !isSourceDry }
    }

    private var state = State.created(isSuspended: false)
    private var clock: TransferClock
    private let idle: Duration?
    private let mayResend: Bool
    /// The last time that a byte went or came, or could again.
    private var lastActivity: Instant?
    /// How often the request went out.
    private var sends = 0
    private var isUnanswered = false

    /// Creates the machine of a transfer that has not started.
    ///
    /// - Parameters:
    ///   - timeouts: The limits; `connect` is the library's, which divides it among the addresses of a host.
    ///   - mayResend: Whether the request may go out again when a reused connection dies without an answer.
    public init(timeouts: TransferTimeouts, mayResend: Bool) {
        clock = TransferClock(limit: timeouts.total)
        idle = timeouts.idle
        self.mayResend = mayResend
    }

    // MARK: State

    /// Whether a part of the request may have reached the peer.
    public var mayHaveArrived: Bool { sends > 0 }

    /// Whether nothing more can happen.
    public var isOver: Bool {
        if case .ended = state { true } else { false }
    }

    /// When ``checkTime(at:lastKnownActivity:)`` has something to look at, or `nil` while no limit runs.
    ///
    /// Bytes that go or come only move it later, so there is no need to ask after each.
    public var nextDeadline: Instant? {
        switch state {
        case .created, .held, .failed, .ended: nil
        case .connecting: clock.deadline
        case .exchanging: DeadlineQueue.earlier(clock.deadline, idleDeadline)
        }
    }

    /// How long the owner has had the transfer suspended, all in all.
    public func suspendedTime(at now: Instant) -> Duration {
        clock.suspended(at: now)
    }

    private var idleDeadline: Instant? {
        guard case .exchanging(let flow) = state, flow.isOpen, let idle, let lastActivity else { return nil }
        return lastActivity.advanced(by: idle)
    }

    // MARK: Life

    /// The owner of the transfer wants it to run.
    public mutating func start(at now: Instant) -> Action {
        switch state {
        case .created(isSuspended: false):
            state = .connecting
            clock.run(at: now)
            return .attach
        case .created(isSuspended: true):
            state = .held
            clock.stop(at: now)
            return .none
        case .failed:
            return .end
        case .held, .connecting, .exchanging, .ended:
            return .none
        }
    }

    /// The library has a connection and is about to send the request, the first time or again.
    ///
    /// - Returns: Whether it may. Where it may not, a part of the request may have arrived before, and the transfer has
    ///   failed.
    public mutating func willSend(at now: Instant) -> Bool {
        switch state {
        case .connecting, .exchanging:
            if isUnanswered, !mayResend {
                let message = "The connection was lost before the answer, and the request may not be sent again"
                state = .failed(TransferError(.connectionLost, message, mayHaveArrived: true))
                return false
            }
            if case .connecting = state { state = .exchanging(Flow()) }
            sends += 1
            isUnanswered = true
            lastActivity = now
            return true
        case .created, .held, .failed, .ended:
            return false
        }
    }

    /// The owner wants the transfer to end.
    ///
    /// What has an outcome keeps it.
    public mutating func cancel(_ error: TransferError = .canceled) -> Action {
        switch state {
        case .created:
            // Nobody waits for the outcome yet: the start brings them.
            state = .failed(error)
            return .none
        case .held, .connecting, .exchanging:
            state = .failed(error)
            return .end
        case .failed, .ended:
            return .none
        }
    }

    /// The transfer is over: the library is done with it, or it was taken back.
    ///
    /// - Parameter libraryError: Why the library gave up; `nil` when it had no reason to.
    /// - Returns: Why the transfer failed; `nil` when it did not.
    public mutating func finish(_ libraryError: TransferError?) -> TransferError? {
        defer { state = .ended }
        if case .failed(let error) = state { return error }
        guard var error = libraryError else { return nil }
        error.mayHaveArrived = mayHaveArrived
        return error
    }

    /// A callback decided that the transfer cannot go on; the library learns it from the callback's answer.
    private mutating func fail(_ error: TransferError) {
        if case .failed = state { return }
        state = .failed(error)
    }
}

// MARK: - Flow

extension TransferMachine {
    /// A final head has come.
    ///
    /// - Returns: Whether the library shall go on.
    public mutating func didReceiveHead(_ decision: HeadDecision, at now: Instant) -> Bool {
        isUnanswered = false
        lastActivity = now
        if case .stop(let error) = decision { fail(error) }
        return isExchanging
    }

    /// The library offers content.
    ///
    /// - Returns: Whether the receiver can take it. If not, the library shall keep it until told to go on.
    public mutating func mayDeliver() -> Bool {
        guard case .exchanging(var flow) = state, flow.isSuspended || flow.isReceiverFull else { return true }
        flow.held.insert(.receive)
        state = .exchanging(flow)
        return false
    }

    /// The receiver was given content.
    ///
    /// - Returns: Whether the library shall go on.
    public mutating func didReceive(_ decision: ReceiveDecision, at now: Instant) -> Bool {
        lastActivity = now
        switch decision {
        case .more:
            break
        case .pause:
            updateFlow { $0.isReceiverFull = true }
        case .stop(let error):
            fail(error)
        }
        return isExchanging
    }

    /// The source was asked for content.
    ///
    /// - Returns: Whether the library shall go on, or wait after ``SourceAnswer/pause``.
    public mutating func didSend(_ answer: SourceAnswer, at now: Instant) -> Bool {
        switch answer {
        case .bytes, .end:
            lastActivity = now
        case .pause:
            updateFlow { flow in
                flow.isSourceDry = true
                flow.held.insert(.send)
            }
        case .failed(let error):
            fail(error)
        }
        return isExchanging
    }

    /// The receiver has room again.
    public mutating func resumeReceiving(at now: Instant) -> Action {
        release(.receive, at: now) { flow in
            defer { flow.isReceiverFull = false }
            return flow.isReceiverFull
        }
    }

    /// The source has something to give again.
    public mutating func resumeSending(at now: Instant) -> Action {
        release(.send, at: now) { flow in
            defer { flow.isSourceDry = false }
            return flow.isSourceDry
        }
    }

    /// Holds the transfer.
    ///
    /// What has sent nothing gives its connection back; what has stops where it is.
    public mutating func suspend(at now: Instant) -> Action {
        switch state {
        case .created:
            state = .created(isSuspended: true)
            return .none
        case .connecting:
            state = .held
            clock.stop(at: now)
            return .detach
        case .exchanging(var flow) where !flow.isSuspended:
            flow.isSuspended = true
            flow.held = .both
            state = .exchanging(flow)
            clock.stop(at: now)
            return .hold(.both)
        case .held, .exchanging, .failed, .ended:
            return .none
        }
    }

    /// Goes on after ``suspend(at:)``.
    public mutating func resume(at now: Instant) -> Action {
        switch state {
        case .created:
            state = .created(isSuspended: false)
            return .none
        case .held:
            state = .connecting
            clock.run(at: now)
            return .attach
        case .exchanging(var flow) where flow.isSuspended:
            flow.isSuspended = false
            flow.held = []
            if flow.isReceiverFull { flow.held.insert(.receive) }
            if flow.isSourceDry { flow.held.insert(.send) }
            state = .exchanging(flow)
            clock.run(at: now)
            lastActivity = now
            return .hold(flow.held)
        case .connecting, .exchanging, .failed, .ended:
            return .none
        }
    }

    /// Looks whether a limit of time is reached.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - lastKnownActivity: When a byte last went by a way that the machine does not see.
    public mutating func checkTime(at now: Instant, lastKnownActivity: Instant? = nil) -> Action {
        if let known = lastKnownActivity, let last = lastActivity, known > last { lastActivity = known }
        if let deadline = clock.deadline, deadline <= now {
            return expire("The transfer took longer than its total limit of time")
        }
        if let deadline = idleDeadline, deadline <= now {
            return expire("The connection was idle for longer than its limit")
        }
        return .none
    }

    private mutating func expire(_ message: String) -> Action {
        cancel(TransferError(.timedOut, message, mayHaveArrived: mayHaveArrived))
    }

    private var isExchanging: Bool {
        if case .exchanging = state { true } else { false }
    }

    private mutating func updateFlow(_ change: (inout Flow) -> Void) {
        guard case .exchanging(var flow) = state else { return }
        change(&flow)
        state = .exchanging(flow)
    }

    /// Lets go of a direction when `wasBlocked` says that its end of the transfer had blocked it.
    private mutating func release(
        _ direction: TransferDirections, at now: Instant, wasBlocked: (inout Flow) -> Bool
    ) -> Action {
        guard case .exchanging(var flow) = state, wasBlocked(&flow) else { return .none }
        lastActivity = now
        defer { state = .exchanging(flow) }
        guard !flow.isSuspended, flow.held.contains(direction) else { return .none }
        flow.held.remove(direction)
        return .hold(flow.held)
    }
}
