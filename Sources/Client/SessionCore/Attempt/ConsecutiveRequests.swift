package import ErrandTransfer

/// The requests of one attempt that are sent one after the other, such as those for the rest of a download.
///
/// Together they have the time of one attempt, and one outcome with the metrics and redirects of all of them.
package struct ConsecutiveRequests {
    private let session: Session
    private let control: AttemptControl
    private let whole: PreparedRequest
    /// The attempt, for requests beside those sent here.
    package let running: RunningAttempt
    private var isFirst = true
    private var earlier = SessionOutcome()

    /// Begins an attempt.
    ///
    /// - Parameters:
    ///   - request: The request of the task, which has the timeout of the attempt.
    ///   - session: The session that sends the requests.
    ///   - control: The control of the attempt.
    package init(of request: PreparedRequest, in session: Session, control: AttemptControl) {
        self.session = session
        self.control = control
        whole = request
        running = RunningAttempt(in: session, control: control)
    }

    /// Sends the next request.
    ///
    /// - Returns: Its outcome alone: see ``add(_:)``.
    /// - Throws: The error of an attempt that has exceeded its time.
    package mutating func send(
        _ request: PreparedRequest, into sink: any BodySink
    ) async throws(SessionError) -> SessionOutcome {
        let limited = isFirst ? request : try running.limit(request)
        isFirst = false
        var outcome = await session.run(limited, sink: sink, control: control)
        if outcome.error?.code == .timedOut, let overdue = running.timeout(of: whole) {
            outcome.error?.message = overdue.message
        }
        return outcome
    }

    /// Adds the outcome of the last request, as the caller has concluded it.
    ///
    /// - Returns: The outcome, following those of the requests before.
    package mutating func add(_ outcome: SessionOutcome) -> SessionOutcome {
        earlier = outcome.following(earlier)
        return earlier
    }

    /// Returns the outcome of an attempt that ends with an error after the requests so far.
    package func ending(with error: SessionError) -> SessionOutcome {
        earlier.ending(with: error)
    }
}
