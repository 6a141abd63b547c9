import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Logging

/// `PUT /v1/tasks/{id}/content`: the content of a request that was announced with `{"content": "later"}`
/// or `{"content": "stream"}`.
struct ContentEndpoint: Sendable {
    let services: TaskServices
    let limits: RequestLimits
    let logger: Logger

    var routes: [APIRoute] {
        [APIRoute(.put, "/v1/tasks/{id}/content", needs: .tasksWrite, handler: receive)]
    }

    private func receive(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        let conditions = try Preconditions(head)
        try check(head)
        let digest = try ContentDigest.sha256(of: head.headers)
        return .streamed { content in
            await request.taskResponse(logger) { () async throws(TaskStoreError) in
                let tasks = services.service(for: request.caller)
                guard let record = request.noting(try await tasks.task(id)) else { return head.noSuchTask() }
                guard conditions.areMet(by: record.entityTag) else { return head.changedTask(record) }
                let responses = ContentResponses(limits: limits, logger: logger)
                guard tasks.passesOnContent(of: record) else {
                    return responses.response(
                        to: head,
                        try await tasks.receiveContent(
                            of: record, content, maxBytes: limits.maxContentBytes, expecting: digest))
                }
                guard !head.headers.contains(.contentDigest) else {
                    return head.response(.badHeader, Self.unverifiable)
                }
                return responses.response(
                    to: head,
                    try await tasks.passOnContent(
                        of: record, content, length: head.contentLength, maxBytes: limits.maxContentBytes,
                        isComplete: { content.isComplete }))
            }
        }
    }

    private static let unverifiable = """
        Content-Digest: the content is passed on as it arrives and cannot be verified before; remove the field, or \
        create the task with {"body": {"content": "later"}}
        """

    /// Refuses content that is too large, or not the whole content of the task.
    private func check(_ head: RequestHead) throws(RequestRefusal) {
        let remedy =
            "the content is passed on as it is; send it without Content-Encoding, and name the coding in the headers of the task"
        if let refusal = JSONContent.codingRefusal(of: head, remedy) { throw refusal }
        if head.headers.contains(.contentRange) {
            throw .field(.contentRange, "a part of the content cannot be sent; send the whole content")
        }
        if let limit = limits.maxContentBytes, let length = head.contentLength, length > Int64(limit) {
            throw ContentResponses(limits: limits, logger: logger).tooLarge
        }
    }
}
