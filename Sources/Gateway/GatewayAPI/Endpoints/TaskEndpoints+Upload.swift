import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks` as `multipart/form-data`: a task together with its content.
extension TaskEndpoints {
    /// Admits a request that creates a task with its content.
    func createUpload(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        if let refusal = JSONContent.codingRefusal(of: head) { throw refusal }
        guard !head.headers.contains(.contentDigest) else { throw .field(.contentDigest, Self.unverifiedDigest) }
        let parser = try UploadForm.parser(for: head)
        let wait = try WaitPreference.read(head, limit: limits.maxWait)
        let key = try IdempotencyKey.read(head)
        return .streamed { content in
            // A limited number of uploads is received at a time, because the task and its content take memory.
            let tasks = services.service(for: request.caller)
            let upload = await tasks.receivingUpload { arrival in
                await createUpload(request, UploadForm(content, parser), arrivingAs: arrival, from: tasks, key: key)
            }
            // Another one may be received: a client that waits for its task sends no content.
            return switch upload {
            case .refused(let response): response
            case .answered(let outcome): await response(to: request, with: outcome, from: tasks, wait: wait)
            case nil: ContentResponses(limits: limits, logger: logger).response(to: head, .full)
            }
        }
    }

    /// The end of the reception of a form.
    private enum ReceivedUpload {
        /// Nothing was created.
        case refused(ServerResponse)
        /// The task was created, or an earlier request with its key has an outcome.
        case answered(TaskCreationOutcome)
    }

    private static let unverifiedDigest = #"""
        the digest of a form is not verified; remove the field, or create the task with \#
        {"body": {"content": "later"}} and send its content, with its digest, to PUT /v1/tasks/{id}/content
        """#

    private func createUpload(
        _ request: APIRequest, _ form: UploadForm, arrivingAs arrival: TaskID, from tasks: TaskService,
        key: IdempotencyKey?
    ) async -> ReceivedUpload {
        var form = form
        let document: [UInt8]
        let content: UploadForm.Content
        do throws(UploadFormError) {
            document = try await form.readTask(maxBytes: limits.maxJSONBytes)
            content = try await form.beginContent()
        } catch {
            return .refused(error.response(to: request.head))
        }
        let parts = UploadFormContent(form: form)
        let task: AcceptedTask
        do {
            task = try await tasks.decoder.decodeUpload(document, contentType: content.type, key: key)
        } catch {
            var earlier: TaskCreationOutcome?
            let refusal = await request.taskResponse(logger) { () async throws(TaskStoreError) in
                if let key {
                    earlier = try await tasks.earlier(
                        document, contentType: content.type, parts, maxBytes: limits.maxContentBytes, key: key)
                }
                return error.response(to: request.head)
            }
            return earlier.map { .answered($0) } ?? .refused(refusal)
        }
        request.notes?.note(session: task.session)
        return await create(task, parts, arrivingAs: arrival, for: request, from: tasks)
    }

    private func create(
        _ task: AcceptedTask, _ parts: UploadFormContent, arrivingAs arrival: TaskID, for request: APIRequest,
        from tasks: TaskService
    ) async -> ReceivedUpload {
        let outcome: UploadOutcome
        do throws(TaskStoreError) {
            outcome = try await tasks.create(
                task, with: parts, arrivingAs: arrival, maxBytes: limits.maxContentBytes,
                in: TraceContext(request.head.headers))
        } catch {
            return .refused(request.head.notStored(error))
        }
        return switch outcome {
        case .answered(let outcome): .answered(outcome)
        case .notReceived(let reason):
            .refused(ContentResponses(limits: limits, logger: logger).response(to: request.head, reason))
        }
    }
}
