import ErrandBodyFiles
import ErrandDownloads
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes

/// Runs one attempt of a task: prepares its request, has the session send it, and describes the outcome.
struct AttemptRunner: Sendable {
    let sessions: SessionCatalog
    let storage: ContentStorage
    let wall: WallClock
    let meters: TaskMeters

    /// Runs an attempt.
    ///
    /// - Parameters:
    ///   - record: The task, running.
    ///   - prepared: Its request, if it is prepared already.
    ///   - control: Controls the attempt.
    func run(
        _ record: TaskRecord, prepared: PreparedRequest?, control: AttemptControl
    ) async -> AttemptEnd {
        let startedAt = wall.now
        guard let lease = sessions.lease(record.session) else {
            return withoutSession(record, startedAt: startedAt)
        }
        defer { sessions.end(lease) }
        let request: PreparedRequest
        do throws(SessionError) {
            // A request that was prepared under an older configuration may not be allowed by the current one.
            request =
                if let prepared, lease.session.hasPrepared(prepared) {
                    prepared
                } else {
                    try await prepare(record, in: lease.session)
                }
        } catch {
            return unprepared(record, error, in: lease.session, startedAt: startedAt)
        }
        let transfer = await record.kind.handler.run(
            request.continuingTrace(of: record), of: record, in: lease.session, storage, control: control)
        return end(transfer, of: request, for: record, in: lease.generation, startedAt: startedAt)
    }

    // The ends are not inlined, because their values would become a part of the frame of `run`.

    /// Returns the end of an attempt whose session was removed after the task got its slot.
    ///
    /// The task waits until the session is configured again.
    @inline(never)
    private func withoutSession(_ record: TaskRecord, startedAt: Timestamp) -> AttemptEnd {
        let error = SessionError(.sessionClosed, "The session \(record.session) is no longer configured")
        return AttemptEnd(result: result(of: .beginningAnew(after: error), for: record, startedAt: startedAt))
    }

    /// Returns the end of an attempt whose request could not be prepared.
    @inline(never)
    private func unprepared(
        _ record: TaskRecord, _ error: SessionError, in session: Session, startedAt: Timestamp
    ) -> AttemptEnd {
        AttemptEnd(
            result: result(of: SessionOutcome(error: error), for: record, startedAt: startedAt),
            attempt: EndedAttempt(
                number: record.attemptCount, elapsed: elapsed(of: record),
                method: TaskDocuments.method(of: record.specification), mayHaveArrived: false, error: error),
            origin: session.configuration.baseURL?.origin)
    }

    /// Returns the end of an attempt.
    ///
    /// - Parameter generation: The generation of the session that has sent the request.
    @inline(never)
    private func end(
        _ end: TransferEnd, of request: PreparedRequest, for record: TaskRecord, in generation: SessionGeneration,
        startedAt: Timestamp
    ) -> AttemptEnd {
        var transfer = end
        meters.attemptMeasured(of: record, transfer.outcome.metrics)
        let ended = EndedAttempt(
            transfer.outcome, of: request, number: record.attemptCount, elapsed: elapsed(of: record))
        // Another generation, which does not allow the same, has replaced it.
        if generation.isRevoked, !request.hasSpentContent,
            Self.mayBeginAnew(record, after: transfer.outcome, ended)
        {
            transfer.outcome.mayRestart = true
        }
        return AttemptEnd(
            result: result(
                of: transfer.outcome, transfer.file, passedOn: transfer.passedOn, for: record,
                startedAt: startedAt),
            attempt: ended, origin: generation.session.configuration.baseURL?.origin)
    }

    /// Returns the time since the first attempt of a task began.
    private func elapsed(of record: TaskRecord) -> Duration {
        record.startedAt.map { wall.elapsed(since: $0) } ?? .zero
    }

    /// Returns true if an attempt that failed under an outdated configuration should be repeated under the current one.
    ///
    /// That is so if it has no response and sending its request again does no harm.
    private static func mayBeginAnew(
        _ record: TaskRecord, after outcome: SessionOutcome, _ attempt: EndedAttempt
    ) -> Bool {
        guard let error = outcome.error, error.code != .canceled, error.code != .deadlineExceeded,
            outcome.response == nil
        else { return false }
        return !attempt.mayHaveArrived || record.kind.handler.mayBeginAnew(record)
    }

    /// Prepares the request from the task's document.
    ///
    /// It was prepared once when the task was accepted, so this fails only if the session's configuration has changed
    /// since.
    @inline(never)
    private func prepare(_ record: TaskRecord, in session: Session) async throws(SessionError) -> PreparedRequest {
        let request = try await record.kind.handler.request(of: record, sessions: sessions, storage, now: { wall.now })
        do throws(RequestProblems) {
            return try await RequestPreparation.prepare(request, in: session)
        } catch {
            throw error.error
        }
    }

    @inline(never)
    private func result(
        of outcome: SessionOutcome, _ file: ConfinedFile? = nil, passedOn: TaskContent? = nil, for record: TaskRecord,
        startedAt: Timestamp
    ) -> AttemptResult {
        let response = outcome.response
        let body = response?.storedBody
        let attempt = AttemptDocument.ended(
            number: record.attemptCount, span: record.spanID, startedAt: startedAt, finishedAt: wall.now,
            status: response?.head.status, error: outcome.error, metrics: outcome.metrics)
        var result = AttemptResult(
            succeeded: outcome.error == nil,
            mayRestart: outcome.mayRestart,
            attempt: attempt,
            response: response.map { ResponseDocument.members(of: $0, file: file) },
            error: outcome.error.map { TaskErrorDocument.bytes(of: $0) },
            body: body,
            object: response?.storedObject(in: body, atMost: storage.bodies.inlineLimitBytes) ?? .none)
        result.passedOn = passedOn
        result.hops = outcome.hops.map { HopDocument.stored($0, attempt: record.attemptCount) }
        return result
    }
}

extension SessionOutcome {
    /// Returns the outcome of an attempt that did nothing and may be repeated.
    fileprivate static func beginningAnew(after error: SessionError) -> SessionOutcome {
        var outcome = SessionOutcome(error: error)
        outcome.mayRestart = true
        return outcome
    }
}

extension SessionResponse {
    /// The content as the store keeps it; `nil` also for content that no sink has digested, as it was not kept.
    fileprivate var storedBody: StoredBody? {
        guard let body, let sha256 = body.sha256 else { return nil }
        let location: StoredBody.Location =
            switch body.content {
            case .bytes(let bytes): .inline(bytes)
            case .stored: .file
            }
        return StoredBody(
            size: body.size, sha256: sha256, contentType: head.headers[.contentType], location: location)
    }

    /// Returns the object as the store keeps it: neither a part of content that is in a body file, nor a large object.
    ///
    /// A small object is kept for content of any size: that of an image has some dozens of bytes. An object that was
    /// not created, because it would need too much memory, is omitted too.
    ///
    /// - Parameters:
    ///   - body: The content as the store keeps it.
    ///   - maxBytes: The size limit of content in the store, which applies to objects too.
    fileprivate func storedObject(in body: StoredBody?, atMost maxBytes: Int) -> StoredObject {
        switch (object, body?.location) {
        case (.none, _): omitsObject ? .omitted : .none
        case (.slice(let range), .inline?): .slice(range)
        case (.slice, _): .omitted
        case (.json(let bytes), _): bytes.count <= maxBytes ? .json(bytes) : .omitted
        }
    }
}

/// The outcome of one attempt.
struct AttemptEnd: Sendable {
    /// The part to be stored.
    var result: AttemptResult
    /// The input of the retry decision; `nil` when no request was made.
    var attempt: EndedAttempt?
    /// The origin of the upstream that the session had when the attempt began; `nil` if it had none.
    var origin: HTTPURL.Origin?
}
