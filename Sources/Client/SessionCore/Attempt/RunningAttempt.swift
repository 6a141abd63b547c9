package import ErrandTransfer

/// An attempt of a task, for work beside its own request: further requests, such as one for each part of a download,
/// and the end of a request whose content is of no use.
///
/// Further requests belong to the attempt: they are suspended, resumed, canceled and paced with it, and its limits
/// count them as one.
package struct RunningAttempt: Sendable {
    private let session: Session
    private let control: AttemptControl
    private let teller: ProgressTeller?
    private let start = ContinuousClock.now
    /// The duration for which the attempt was suspended before.
    private let suspendedBefore: Duration

    /// Creates the attempt that a control is for.
    package init(in session: Session, control: AttemptControl) {
        self.init(in: session, control: control, teller: nil)
    }

    init(in session: Session, control: AttemptControl, teller: ProgressTeller?) {
        self.session = session
        self.control = control
        self.teller = teller
        suspendedBefore = control.suspendedTime
    }

    /// Sends a further request of the attempt.
    ///
    /// - Parameters:
    ///   - request: The request, which has no content from a source.
    ///   - sink: The destination of the content.
    ///   - control: The control of this request alone.
    package func run(
        _ request: PreparedRequest, sink: any BodySink, control: AttemptControl
    ) async -> SessionOutcome {
        let limited: PreparedRequest
        do throws(SessionError) {
            limited = try limit(request)
        } catch {
            await sink.discard()
            return SessionOutcome(error: error)
        }
        self.control.attach(control)
        let outcome = await session.runBeside(limited, of: self.control, sink: sink, control: control)
        self.control.detach(control)
        return outcome
    }

    /// Returns a request with what is left of the attempt's total timeout.
    ///
    /// - Throws: The error of an attempt that has exceeded it.
    package func limit(_ request: PreparedRequest) throws(SessionError) -> PreparedRequest {
        guard let total = request.transfer.timeouts.total else { return request }
        let left = total - active
        guard left > .zero else { throw Attempt.overdue(after: total) }
        var transfer = request.transfer
        transfer.timeouts.total = left
        return request.with(transfer)
    }

    /// The time since the beginning of the attempt without that during which it was suspended.
    private var active: Duration { start.duration(to: .now) - (control.suspendedTime - suspendedBefore) }

    /// Returns the error of the attempt if it has exceeded its total timeout; otherwise `nil`.
    package func timeout(of request: PreparedRequest) -> SessionError? {
        guard let total = request.transfer.timeouts.total, active >= total else { return nil }
        return Attempt.overdue(after: total)
    }

    /// Closes the connection of the attempt's own request, whose content is of no use any longer.
    ///
    /// The outcome of that request is a cancellation, but the attempt is not canceled. Does nothing to further
    /// requests, and nothing between two requests.
    package func cancelTransfer() {
        control.cancelTransfer()
    }

    /// The URL of the attempt's own request, after the redirects so far; `nil` before it is sent.
    package var url: HTTPURL? { control.url }

    /// Records that content was received by a further request.
    package func note() {
        teller?.note()
    }
}
