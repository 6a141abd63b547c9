import ErrandConfiguration
import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import ErrandText
import ErrandTransfer
import HTTPTypes
import Logging

/// The responses to requests that send the content of tasks.
struct ContentResponses: Sendable {
    let limits: RequestLimits
    let logger: Logger

    /// The refusal of content beyond its limit.
    var tooLarge: RequestRefusal {
        RequestRefusal(
            .contentTooLarge,
            "expected content of at most \(limits.maxContentBytes ?? .max) bytes (server.max_content)")
    }

    /// Returns the response to a request with content.
    func response(to head: RequestHead, _ outcome: ContentOutcome) -> ServerResponse {
        switch outcome {
        case .stored:
            // Without the ETag of the task, which is not that of this content (RFC 9110 §9.3.4).
            return ServerResponse(status: .noContent)
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
            if let error = error as? UploadFormError { return error.response(to: head) }
            return Self.incomplete(head, error)
        case .notWritten(let error) where error.code == .bodyTooLarge:
            return tooLarge.response(to: head)
        case .notWritten(let error):
            logger.error(
                "The content of a task could not be stored", metadata: head.logged(["error": "\(error)"]))
            return head.response(
                .storeUnavailable, "the content could not be stored, and was removed: \(error.message)",
                headers: [.retryAfter: "5"])
        case .notStarting(let record):
            return head.response(.wrongState, Self.remedy(for: record))
        case .endedEarly(let record):
            return head.response(
                .wrongState,
                "\(record.stateDetail), before it took all of the content; GET /v1/tasks/\(record.id) tells why")
        case .tooLarge(let detail):
            return head.response(.contentTooLarge, detail)
        case .stopping:
            return head.stopping("the gateway is stopping; the content was not passed on as a whole")
        case .otherDigest(let found):
            return head.response(
                .badHeader,
                "Content-Digest: the content has the SHA-256 \(Hexadecimal.encode(found)), and was removed; send it again"
            )
        }
    }

    /// Returns the response to a client that has not sent all of the content.
    static func incomplete(_ head: RequestHead, _ error: any Error) -> ServerResponse {
        switch error as? RequestBodyError {
        case .tooSlow:
            return head.response(.requestTimeout, "the content did not arrive in time")
        case .serverStopping:
            return head.stopping("the content did not arrive before the stop")
        // A client that left does not read the response.
        case .clientLeft, .canceled, .tooLarge, nil:
            return head.response(.malformedRequest, "the content is incomplete (\(error))")
        }
    }

    /// Returns the reason for which a task cannot take content that is passed on, with the remedy.
    private static func remedy(for record: TaskRecord) -> String {
        let remedy =
            if record.state == .suspended { "resume it" } else { "wait for its not_before, or remove that" }
        return """
            \(record.state == .suspended ? "the task is suspended" : "the task cannot start yet") and passes its \
            content on as it arrives; \(remedy), then send the content
            """
    }

    private static func detail(of record: TaskRecord) -> String {
        switch record.content {
        case .stored(let size, let sha256):
            """
            the content is complete (\(size) bytes, SHA-256 \(Hexadecimal.encode(sha256))) and cannot be replaced; \
            the task is \(record.state.rawValue)
            """
        case .passedOn(let size, isComplete: true):
            """
            all of the content (\(size) bytes) was passed on to the upstream and cannot be replaced; the task is \
            \(record.state.rawValue)
            """
        case .passedOn(let size, isComplete: false):
            """
            the task ended after \(size) bytes of its content were passed on to the upstream, and is \
            \(record.state.rawValue); repeat the task and send the whole content to the new one
            """
        case .awaited: record.stateDetail
        case nil:
            #"""
            the task does not wait for content: only one with {"body": {"content": "later"}} or \#
            {"body": {"content": "stream"}} does, until its content has come
            """#
        }
    }
}
