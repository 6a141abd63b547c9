import ErrandConfiguration
import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import ErrandText
import ErrandTransfer
import HTTPTypes
import Logging

/// `PUT /v1/tasks/{id}/content`: the content of a request that was announced with `{"content": "later"}`.
struct ContentEndpoint: Sendable {
    let services: TaskServices
    let limits: RequestLimits
    let logger: Logger

    var routes: [APIRoute] {
        [APIRoute(.put, "/v1/tasks/{id}/content", needs: .tasksWrite) { receive($0) }]
    }

    private func receive(_ request: APIRequest) -> RequestDisposition {
        let head = request.head
        guard let id = request.taskID else { return .immediate(head.noSuchTask()) }
        if let refusal = refusal(of: head) { return .immediate(refusal) }
        let digest: [UInt8]?
        do throws(HeaderProblem) {
            digest = try ContentDigest.sha256(of: head.headers)
        } catch {
            return .immediate(error.response(to: head))
        }
        return .streamed { content in
            await request.taskResponse(logger) { () async throws(TaskStoreError) in
                let tasks = services.service(for: request.caller)
                guard let record = request.noting(try await tasks.task(id)) else { return head.noSuchTask() }
                return response(
                    to: head,
                    try await tasks.receiveContent(
                        of: record, content, maxBytes: limits.maxContentBytes, expecting: digest))
            }
        }
    }

    /// Returns the response to a request whose content is too large, or not the whole content of the task.
    private func refusal(of head: RequestHead) -> ServerResponse? {
        let remedy =
            "the content is passed on as it is; send it without Content-Encoding, and name the coding in the headers of the task"
        if let refusal = JSONContent.codingRefusal(of: head, remedy) { return refusal }
        if head.headers.contains(.contentRange) {
            return head.response(
                .badHeader, "Content-Range: a part of the content cannot be sent; send the whole content")
        }
        if let limit = limits.maxContentBytes, let length = head.headers[.contentLength].flatMap({ Int($0) }),
            length > limit
        {
            return tooLarge(head)
        }
        return nil
    }

    private func tooLarge(_ head: RequestHead) -> ServerResponse {
        head.response(
            .contentTooLarge,
            "expected content of at most \(limits.maxContentBytes ?? .max) bytes (server.max_content)")
    }

    private func response(to head: RequestHead, _ outcome: ContentOutcome) -> ServerResponse {
        switch outcome {
        case .stored(let record):
            return ServerResponse(status: .noContent, headers: [.eTag: record.entityTag.description])
        case .notAwaited(let record):
            return head.response(.wrongState, Self.detail(of: record))
        case .noTask:
            return head.noSuchTask()
        case .taken:
            return head.response(.wrongState, "another request is sending the content of the task")
        case .full:
            return head.response(
                .tooManyContents, "too many requests are sending the content of tasks; try again later",
                headers: [.retryAfter: "1"])
        case .unavailable:
            return head.response(.storeUnavailable, "this gateway has no folder for the content of requests")
        case .incomplete(let error):
            switch error as? RequestBodyError {
            case .tooSlow:
                return head.response(.requestTimeout, "the content did not arrive in time, and was removed")
            case .serverStopping:
                return head.response(.stopping, "the content did not arrive before the stop, and was removed")
            // A client that left does not read the response.
            case .clientLeft, .cancelled, .tooLarge, nil:
                break
            }
            return head.response(.malformedRequest, "the content is incomplete (\(error)), and was removed")
        case .notWritten(let error) where error.code == .bodyTooLarge:
            return tooLarge(head)
        case .notWritten(let error):
            logger.error(
                "The content of a task could not be stored",
                metadata: ["error": "\(error)", "request_id": "\(head.requestID ?? "")"])
            return head.response(
                .storeUnavailable, "the content could not be stored, and was removed: \(error.message)",
                headers: [.retryAfter: "5"])
        case .otherDigest(let found):
            return head.response(
                .badHeader,
                "Content-Digest: the content has the SHA-256 \(Hexadecimal.encode(found)), and was removed; send it again"
            )
        }
    }

    private static func detail(of record: TaskRecord) -> String {
        switch record.content {
        case .stored(let size, let sha256):
            """
            the content is complete (\(size) bytes, SHA-256 \(Hexadecimal.encode(sha256))) and cannot be replaced; \
            the task is \(record.state.rawValue)
            """
        case .awaited: record.stateDetail
        case nil: #"the task has its content already; only {"body": {"content": "later"}} takes it separately"#
        }
    }
}
