import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks`.
extension TaskEndpoints {
    /// Admits a request that creates a task.
    func create(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        if let refusal = JSONContent.refusal(of: request.head) {
            guard UploadForm.isDeclared(by: request.head) else { throw refusal }
            return try createUpload(request)
        }
        return try collectTask(of: request.head) { body, key, wait in
            .deferred { await create(request, body: body, key: key, wait: wait) }
        }
    }

    /// Collects the content of a request that creates a task, with the client's key and the time that it waits for the
    /// end of the task.
    func collectTask(
        of head: RequestHead,
        _ respond: @escaping @Sendable ([UInt8], IdempotencyKey?, WaitPreference?) -> BufferedDisposition
    ) throws(RequestRefusal) -> RequestDisposition {
        let wait = try WaitPreference.read(head, limit: limits.maxWait)
        let key = try IdempotencyKey.read(head)
        return head.collecting("a task", atMost: limits.maxJSONBytes, setting: "server.max_json") {
            respond($0, key, wait)
        }
    }

    private func create(
        _ request: APIRequest, body: [UInt8], key: IdempotencyKey?, wait: WaitPreference?
    ) async -> ServerResponse {
        let tasks = services.service(for: request.caller)
        let accepted: AcceptedTask
        do {
            accepted = try await tasks.decoder.decode(body, as: .single, key: key)
        } catch {
            return await response(to: request, rejecting: body, error, key: key, from: tasks, wait: wait)
        }
        request.notes?.note(session: accepted.session)
        let outcome: TaskCreationOutcome
        do throws(TaskStoreError) {
            outcome = try await tasks.create(accepted, in: TraceContext(request.head.headers))
        } catch {
            return request.head.notStored(error)
        }
        return await response(to: request, with: outcome, from: tasks, wait: wait)
    }

    /// Returns the response to a document that is not accepted: the earlier result of its key, if there is one.
    ///
    /// Not inlined, because its values would become a part of the frame of the function that suspends for each task.
    @inline(never)
    private func response(
        to request: APIRequest, rejecting body: [UInt8], _ rejection: TaskRejection, key: IdempotencyKey?,
        from tasks: TaskService, wait: WaitPreference?
    ) async -> ServerResponse {
        guard let key else { return rejection.response(to: request.head) }
        let earlier: TaskCreationOutcome?
        do throws(TaskStoreError) {
            earlier = try await tasks.earlier(body, key: key)
        } catch {
            return request.head.notStored(error)
        }
        guard let outcome = earlier else { return rejection.response(to: request.head) }
        return await response(to: request, with: outcome, from: tasks, wait: wait)
    }

    /// Returns the response to a request that creates a task.
    ///
    /// Not inlined, for the same reason.
    ///
    /// - Parameter wait: The time that the client wants to wait for the end of the task.
    @inline(never)
    func response(
        to request: APIRequest, with outcome: TaskCreationOutcome, from tasks: TaskService, wait: WaitPreference? = nil
    ) async -> ServerResponse {
        switch outcome {
        case .created(let record):
            request.notes?.note(task: record.id, session: record.session, trace: record.trace)
            // The wait may outlast the process, and the task is stored.
            if wait != nil { request.notes?.write(.accepted) }
            return await response(to: request, with: record, from: tasks, wait: wait)
        case .replayed(let record):
            return await response(to: request, replaying: record, from: tasks, wait: wait)
        case .replayedRemoved(let task):
            return Self.response(to: request, replaying: task)
        case .refused(let refusal):
            return refusal.response(to: request.head)
        }
    }

    /// Returns the response to a request whose key has created a task before.
    @inline(never)
    private func response(
        to request: APIRequest, replaying record: TaskRecord, from tasks: TaskService, wait: WaitPreference?
    ) async -> ServerResponse {
        request.notes?.note(task: record.id, session: record.session, trace: record.trace)
        var response = await response(to: request, with: record, from: tasks, wait: wait)
        response.status = .ok
        response.headers[.idempotentReplayed] = "true"
        return response
    }

    /// Returns the response to a request whose key has created a task before, which is removed.
    @inline(never)
    private static func response(to request: APIRequest, replaying task: RemovedTask) -> ServerResponse {
        request.notes?.note(task: task.id, session: task.session)
        var writer = JSONWriter()
        TaskRenderer.write(task, to: &writer)
        var response = ServerResponse(json: writer.bytes)
        response.headers[.idempotentReplayed] = "true"
        return response
    }

    @inline(never)
    private func response(
        to request: APIRequest, with record: TaskRecord, from tasks: TaskService, wait: WaitPreference?
    ) async -> ServerResponse {
        guard let wait else { return services.response(record, status: .accepted) }
        return await response(to: request, after: wait, for: record, from: tasks)
    }

    /// Returns the response of a create that waits for the end of the task.
    ///
    /// A task that another client has removed meanwhile has no location. Not inlined, for the same reason.
    @inline(never)
    private func response(
        to request: APIRequest, after wait: WaitPreference, for record: TaskRecord, from tasks: TaskService
    ) async -> ServerResponse {
        do throws(TaskStoreError) {
            guard let current = try await tasks.wait(for: record, until: .done, timeout: wait.duration) else {
                return wait.applied(to: Self.response(removed: record))
            }
            guard !tasks.showsDetails(current, .all) else {
                return wait.applied(to: await detailedResponse(to: request, with: current, from: tasks))
            }
            return wait.applied(to: services.response(current, status: Self.status(of: current), isNew: true))
        } catch {
            // The task is stored, so that only the wait has failed: after an error the client would create it again.
            request.head.logFailure(error, to: logger)
            return services.response(record, status: .accepted)
        }
    }

    /// Returns the response with the remains of a task that was removed during the wait.
    @inline(never)
    private static func response(removed record: TaskRecord) -> ServerResponse {
        var writer = JSONWriter()
        TaskRenderer.write(removed: record, to: &writer)
        return ServerResponse(json: writer.bytes)
    }

    @inline(never)
    private func detailedResponse(
        to request: APIRequest, with record: TaskRecord, from tasks: TaskService
    ) async -> ServerResponse {
        let details = await details(of: record, from: tasks, for: request.head)
        return services.response(record, status: Self.status(of: record), isNew: true, details: details)
    }

    private static func status(of record: TaskRecord) -> HTTPResponse.Status {
        record.state.isTerminal ? .ok : .accepted
    }
}

extension IdempotencyKey {
    /// Returns the idempotency key of a request, or `nil` without one.
    static func read(_ head: RequestHead) throws(RequestRefusal) -> IdempotencyKey? {
        let values = head.headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            throw .field(.idempotencyKey, "expected one value, found several")
        }
        guard let key = IdempotencyKey(field: value) else {
            throw .field(.idempotencyKey, "expected \(expectation), in quotes or bare")
        }
        return key
    }
}
