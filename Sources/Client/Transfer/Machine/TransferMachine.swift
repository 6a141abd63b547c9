import ErrandTime

/// The state machine of one transfer: it consumes events and returns actions.
///
/// No I/O, no clock.
///
/// ```
/// created ──start──▶ connecting ──willSend──▶ exchanging ──finish──▶ ended
///    │                 │     ▲                    │ (didNotSend: back to connecting)
///    │          suspend│     │resume              │ a callback decides: failed ──finish──▶ ended
///    └──(suspended)──▶ held ─┘                    │
///             cancel, a timeout, the end in libcurl: from any state to ended
/// ```
///
/// The owner performs actions after the call returns, because libcurl may call back meanwhile. The first event that
/// ends a transfer decides its outcome; later events do not change it.
package struct TransferMachine: ~Copyable {
    /// A point in time; all instants given to one machine come from the same monotonic clock.
    package typealias Instant = MonotonicInstant

    /// An action that the owner of the machine performs.
    package enum Action: Sendable, Hashable {
        /// No action.
        case none
        /// Add the transfer to libcurl's multi handle, from its first step.
        case attach
        /// Remove the transfer from libcurl and drop its connection: it is suspended, and nothing was sent.
        case detach
        /// Pause the given directions in libcurl and unpause the others.
        case pause(TransferDirections)
        /// Remove the transfer from libcurl if it was added, which closes its connection; then call ``finish(_:)``.
        case end
    }

    private enum State {
        /// Not started. Exits: `start`, `cancel`.
        case created(isSuspended: Bool)
        /// Suspended without a connection, before anything was sent. Exits: `resume`, `cancel`.
        case held
        /// libcurl is establishing a connection. Exits: `willSend`, `suspend`, `cancel`, a timeout, `finish`.
        case connecting
        /// The request is being sent or answered. Exits: `didNotSend`, a failing callback, `cancel`, a timeout,
        /// `finish`.
        case exchanging(Flow)
        /// The outcome is decided, and ``Action/end`` was returned or a callback told libcurl to stop. Exit: `finish`.
        case failed(TransferError)
        /// Ended. No exit.
        case ended
    }

    /// The conditions that pause an exchange.
    private struct Flow {
        var isSuspended = false
        /// True if the receiver asked to pause.
        var isReceiverFull = false
        /// True if the source had no bytes available.
        var isSourceDry = false
        /// The directions that libcurl was told to pause.
        var paused: TransferDirections = []

        /// True if the exchange waits only for the peer or the network.
        var isOpen: Bool { !isSuspended && !isReceiverFull && !isSourceDry }

        /// Forgets what libcurl forgets when it sends the request again: its pauses, and that the source had no bytes.
        ///
        /// libcurl asks the source again by itself. Only a suspension lasts.
        mutating func beginAgain() {
            isSourceDry = false
            paused = isSuspended ? .both : []
        }
    }

    private var state = State.created(isSuspended: false)
    private var clock: TransferClock
    private let idle: Duration?
    private let mayResend: Bool
    /// The last time that a byte was sent or received, or that transferring resumed.
    private var lastActivity: Instant?
    /// The number of times that the request was sent.
    private var sends = 0
    private var isUnanswered = false
    /// True if the peer is known not to have processed the request.
    package private(set) var isUnprocessed = false

    /// Creates the machine of a transfer that has not started.
    ///
    /// - Parameters:
    ///   - timeouts: The timeouts; libcurl applies `connect`, which it divides among the addresses of a host.
    ///   - mayResend: True if the request may be resent when a reused connection fails without a response.
    package init(timeouts: TransferTimeouts, mayResend: Bool) {
        clock = TransferClock(limit: timeouts.total)
        idle = timeouts.idle
        self.mayResend = mayResend
    }

    // MARK: State

    /// True if a part of the request may have reached the peer.
    package var mayHaveArrived: Bool { wasSent && !isUnprocessed }

    /// True if a part of the request was sent.
    package var wasSent: Bool { sends > 0 }

    /// Records that the peer proved that it did not process the request.
    package mutating func didProveUnprocessed() {
        isUnprocessed = true
    }

    /// True if the transfer has ended.
    package var isOver: Bool {
        if case .ended = state { true } else { false }
    }

    /// The directions that libcurl was told to pause.
    package var pausedDirections: TransferDirections {
        if case .exchanging(let flow) = state { flow.paused } else { [] }
    }

    /// The time of the next ``checkTime(at:lastKnownActivity:)``, or `nil` while no timeout runs.
    ///
    /// Transferred bytes only postpone it, so it need not be read after each of them.
    package var nextDeadline: Instant? {
        switch state {
        case .created, .held, .failed, .ended: nil
        case .connecting: clock.deadline
        case .exchanging: DeadlineQueue.earlier(clock.deadline, idleDeadline)
        }
    }

    /// Returns the total time that the owner has had the transfer suspended.
    package func suspendedTime(at now: Instant) -> Duration {
        clock.suspended(at: now)
    }

    private var idleDeadline: Instant? {
        guard case .exchanging(let flow) = state, flow.isOpen, let idle, let lastActivity else { return nil }
        return lastActivity.advanced(by: idle)
    }

    // MARK: Life cycle

    /// Starts the transfer.
    package mutating func start(at now: Instant) -> Action {
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

    /// Records that libcurl has a connection and is about to send the request, for the first time or again.
    ///
    /// libcurl forgets pauses before it sends a request again, so the owner then pauses ``pausedDirections``.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - wasRefused: True if the peer is known not to have processed the request when it was sent before. This does
    ///     not permit resending at once; it permits the owner to resend.
    ///   - objection: The reason for which nothing may be sent over this connection; `nil` for none. A request that was
    ///     sent before, and must not be sent again, is lost for that reason instead.
    /// - Returns: True if the request may be sent. If false, a part of the request may have arrived before, and the
    ///   transfer has failed.
    package mutating func willSend(
        at now: Instant, wasRefused: Bool = false, objection: TransferError? = nil
    ) -> Bool {
        switch state {
        case .connecting, .exchanging:
            if isUnanswered, !mayResend {
                failUnanswered("the request must not be sent again", wasRefused: wasRefused)
                return false
            }
            if let objection {
                if wasRefused { isUnprocessed = true }
                _ = cancel(objection)
                return false
            }
            if case .connecting = state { state = .exchanging(Flow()) } else { updateFlow { $0.beginAgain() } }
            sends += 1
            isUnanswered = true
            lastActivity = now
            return true
        case .created, .held, .failed, .ended:
            return false
        }
    }

    /// Records that libcurl gave up after ``willSend(at:wasRefused:objection:)`` before it sent anything.
    ///
    /// - Returns: True if the request has never been sent. The transfer is then connecting again, and the owner adds it
    ///   to libcurl anew.
    package mutating func didNotSend() -> Bool {
        guard case .exchanging(let flow) = state, !flow.isSuspended, isUnanswered, sends == 1 else { return false }
        state = .connecting
        sends = 0
        isUnanswered = false
        return true
    }

    /// Fails the request that libcurl wanted to send again, although its content could be read only once.
    ///
    /// - Parameter wasRefused: As for ``willSend(at:wasRefused:objection:)``.
    package mutating func failResend(wasRefused: Bool) {
        guard case .exchanging = state, isUnanswered else { return }
        failUnanswered("its content cannot be sent again", wasRefused: wasRefused)
    }

    private mutating func failUnanswered(_ reason: String, wasRefused: Bool) {
        guard !wasRefused else {
            isUnprocessed = true
            state = .failed(TransferError(.connectionLost, "The peer rejected the request without processing it"))
            return
        }
        state = .failed(
            TransferError(
                .connectionLost, "The connection was lost before the response, and \(reason)", mayHaveArrived: true))
    }

    /// Cancels the transfer.
    ///
    /// An outcome that is already decided does not change. An error other than a cancellation by the owner states also
    /// whether the request may have arrived.
    package mutating func cancel(_ error: TransferError = .canceled) -> Action {
        var error = error
        if error.code != .canceled, mayHaveArrived { error.mayHaveArrived = true }
        switch state {
        case .created:
            // The owner does not wait for the outcome yet: `start` returns it.
            state = .failed(error)
            return .none
        case .held, .connecting, .exchanging:
            state = .failed(error)
            return .end
        case .failed, .ended:
            return .none
        }
    }

    /// Ends the transfer: libcurl is done with it, or it was removed from libcurl.
    ///
    /// - Parameter libraryError: The error of libcurl; `nil` if it reported none.
    /// - Returns: The error with which the transfer failed; `nil` if it succeeded.
    package mutating func finish(_ libraryError: TransferError?) -> TransferError? {
        defer { state = .ended }
        if case .failed(let error) = state { return error }
        guard var error = libraryError else { return nil }
        error.mayHaveArrived = mayHaveArrived
        return error
    }

    /// Fails the transfer from within a callback; libcurl learns it from the callback's return value.
    private mutating func fail(_ error: TransferError) {
        if case .failed = state { return }
        state = .failed(error)
    }
}

// MARK: - Flow

extension TransferMachine {
    /// Records the final response head.
    ///
    /// - Returns: True if libcurl shall continue.
    package mutating func didReceiveHead(_ decision: HeadDecision, at now: Instant) -> Bool {
        isUnanswered = false
        lastActivity = now
        if case .stop(let error) = decision { fail(error) }
        return isExchanging
    }

    /// Records bytes of a response that are neither its whole head nor content for the receiver: a line of a head or of
    /// trailers, or coded content.
    package mutating func didReceiveBytes(at now: Instant) {
        lastActivity = now
    }

    /// Records that libcurl offers content.
    ///
    /// - Returns: True if the receiver can take it. If false, libcurl shall retain it until it is unpaused.
    package mutating func willDeliver() -> Bool {
        guard case .exchanging(var flow) = state, flow.isSuspended || flow.isReceiverFull else { return true }
        flow.paused.insert(.receive)
        state = .exchanging(flow)
        return false
    }

    /// Records the receiver's answer to content.
    ///
    /// - Returns: True if libcurl shall continue.
    package mutating func didReceive(_ decision: ReceiveDecision, at now: Instant) -> Bool {
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

    /// True unless the transfer is suspended.
    ///
    /// libcurl 7.88 may ask for the content of an HTTP/2 stream although its sending is paused.
    package var mayRead: Bool {
        if case .exchanging(let flow) = state { !flow.isSuspended } else { true }
    }

    /// Records the source's answer to a read.
    ///
    /// - Returns: True if libcurl shall continue, or pause after ``SourceAnswer/pause``.
    package mutating func didSend(_ answer: SourceAnswer, at now: Instant) -> Bool {
        switch answer {
        case .bytes, .end:
            lastActivity = now
        case .pause:
            updateFlow { flow in
                flow.isSourceDry = true
                flow.paused.insert(.send)
            }
        case .failed(let error):
            fail(error)
        }
        return isExchanging
    }

    /// Records that the receiver has room again.
    package mutating func resumeReceiving(at now: Instant) -> Action {
        release(.receive, at: now) { flow in
            defer { flow.isReceiverFull = false }
            return flow.isReceiverFull
        }
    }

    /// Records that the source has bytes available again.
    package mutating func resumeSending(at now: Instant) -> Action {
        release(.send, at: now) { flow in
            defer { flow.isSourceDry = false }
            return flow.isSourceDry
        }
    }

    /// Suspends the transfer.
    ///
    /// Before anything was sent, its connection is given back; afterwards, the exchange is paused.
    package mutating func suspend(at now: Instant) -> Action {
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
            flow.paused = .both
            state = .exchanging(flow)
            clock.stop(at: now)
            return .pause(.both)
        case .held, .exchanging, .failed, .ended:
            return .none
        }
    }

    /// Resumes the transfer after ``suspend(at:)``.
    package mutating func resume(at now: Instant) -> Action {
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
            flow.paused = []
            if flow.isReceiverFull { flow.paused.insert(.receive) }
            if flow.isSourceDry { flow.paused.insert(.send) }
            state = .exchanging(flow)
            clock.run(at: now)
            lastActivity = now
            return .pause(flow.paused)
        case .connecting, .exchanging, .failed, .ended:
            return .none
        }
    }

    /// Fails the transfer if a timeout is reached.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - lastKnownActivity: The time of the last byte that the machine did not see.
    package mutating func checkTime(at now: Instant, lastKnownActivity: Instant? = nil) -> Action {
        if let known = lastKnownActivity, let last = lastActivity, known > last { lastActivity = known }
        if let deadline = clock.deadline, deadline <= now {
            return expire("The transfer exceeded its total timeout")
        }
        if let idle, let deadline = idleDeadline, deadline <= now {
            return expire("No byte was sent or received within timeouts.idle = \(idle.shortText)")
        }
        return .none
    }

    private mutating func expire(_ message: String) -> Action {
        cancel(TransferError(.timedOut, message))
    }

    private var isExchanging: Bool {
        if case .exchanging = state { true } else { false }
    }

    private mutating func updateFlow(_ change: (inout Flow) -> Void) {
        guard case .exchanging(var flow) = state else { return }
        change(&flow)
        state = .exchanging(flow)
    }

    /// Unpauses a direction if `wasBlocked` reports that its end of the transfer had paused it.
    private mutating func release(
        _ direction: TransferDirections, at now: Instant, wasBlocked: (inout Flow) -> Bool
    ) -> Action {
        guard case .exchanging(var flow) = state, wasBlocked(&flow) else { return .none }
        lastActivity = now
        defer { state = .exchanging(flow) }
        guard !flow.isSuspended, flow.paused.contains(direction) else { return .none }
        flow.paused.remove(direction)
        return .pause(flow.paused)
    }
}
