import ErrandBodyFiles
import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore
import ErrandText
import HTTPTypes
import Logging

/// `GET /v1/tasks/{id}/body`: the content of a response as received, after content decoding.
///
/// With `follow=true`, the content of a running task is sent while it is received.
struct BodyEndpoint: Sendable {
    let services: TaskServices
    let limits: RequestLimits
    let logger: Logger

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/tasks/{id}/body", needs: .tasksRead, parameters: .named(["follow"]), handler: read)]
    }

    private func read(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let id = try request.taskID
        let follows = try Self.follows(head)
        let conditions = try Preconditions(head)
        let tasks = services.service(for: request.caller)
        if let record = request.noting(tasks.recent(id)), !follows || record.state.isTerminal {
            return .immediate(response(to: head, record, if: conditions))
        }
        return .deferred {
            await request.taskResponse(logger) { () async throws(TaskStoreError) in
                guard let record = request.noting(try await tasks.task(id)) else { return head.noSuchTask() }
                guard follows else { return response(to: head, record, if: conditions) }
                let outcome = try await tasks.followBody(of: record, timeout: limits.maxWait)
                return response(to: head, outcome, if: conditions)
            }
        }
    }

    // MARK: Following

    private static func follows(_ head: RequestHead) throws(RequestRefusal) -> Bool {
        guard let item = head.target.queryItems.first(where: { $0.name == "follow" }) else { return false }
        switch item.value {
        case "true":
            guard head.acceptsChunks else { throw .followWithoutChunks }
            return true
        case "false": return false
        default:
            throw .parameter("follow", expected: "true or false", found: item.value)
        }
    }

    private func response(
        to head: RequestHead, _ outcome: BodyFollowOutcome, if conditions: Preconditions
    ) -> ServerResponse {
        switch outcome {
        case .following where !conditions.acceptsUntagged:
            return head.response(
                .preconditionFailed, "the content is still arriving, and has no ETag before it is complete")
        case .following(let body):
            var headers = Self.safety
            headers[.contentType] = Self.mediaType(body.contentType)
            headers[.cacheControl] = "no-store"
            // Without a length, also if it is known: the end of the chunks shows that the task has succeeded.
            return ServerResponse(
                status: .ok, headers: headers, body: .stream(ResponseStream { try await body.next() }))
        case .ended(let record):
            return response(to: head, record, if: conditions)
        case .notYet(let record):
            return head.response(
                .wrongState,
                """
                the task is \(record.state.rawValue), and no content of an acceptable response has arrived yet; \
                try again later
                """)
        case .becomesFile:
            return head.response(
                .missingBody,
                """
                the content becomes a file below files.downloads, which cannot be followed; \
                a download without a destination can
                """)
        case .full:
            return head.response(
                .tooManyFollowers, "too many requests are following bodies; try again later",
                headers: [.retryAfter: "1"])
        case .noTask:
            return head.noSuchTask()
        }
    }

    /// Returns the media type of a body, for the response.
    ///
    /// An upstream can send one that does not fit into the head of a response, which cannot be sent then.
    private static func mediaType(_ ofUpstream: String?) -> String {
        guard let ofUpstream, ofUpstream.utf8.count <= 1024 else { return "application/octet-stream" }
        return ofUpstream
    }

    // MARK: The whole body

    /// Returns the reason for which a finished task has no body.
    private static func detail(ofMissing record: TaskRecord) -> String {
        if let path = record.result.filePath {
            return "the content of the task is the file \(path.shortened(toBytes: 512)) below files.downloads"
        }
        return "the task is \(record.state.rawValue) and has no response content; see its response and error"
    }

    private func response(
        to head: RequestHead, _ record: TaskRecord, if conditions: Preconditions
    ) -> ServerResponse {
        guard record.state.isTerminal else {
            return head.response(.wrongState, "the task is \(record.state.rawValue); wait until it is finished")
        }
        guard let body = record.result.body else {
            return head.response(.missingBody, Self.detail(ofMissing: record))
        }
        let tag = EntityTag(opaque: "sha256-\(Hexadecimal.encode(body.sha256))")
        var headers = Self.safety
        headers[.eTag] = tag.description
        headers[.acceptRanges] = "bytes"
        headers[.contentType] = Self.mediaType(body.contentType)
        let whole = ByteRange(offset: 0, length: body.size)
        switch conditions.verdict(on: tag) {
        case .met: break
        case .failed:
            return head.response(
                .preconditionFailed, "the content has another ETag", headers: [.eTag: tag.description])
        case .notModified:
            // The server does not send the content with this status, but uses it for Content-Length.
            return ServerResponse(
                status: .notModified, headers: headers, body: content(of: body, task: record.id, whole, for: head))
        }
        // Only GET has ranges (RFC 9110 §14.2).
        let selection = RangeSelection(
            range: head.method == .get ? head.headers[.range] : nil, ifRange: head.headers[.ifRange], entityTag: tag,
            size: body.size)
        switch selection {
        case .whole:
            return ServerResponse(
                status: .ok, headers: headers, body: content(of: body, task: record.id, whole, for: head))
        case .part(let range):
            headers[.contentRange] = range.contentRange(size: body.size)
            return ServerResponse(
                status: .partialContent, headers: headers, body: content(of: body, task: record.id, range, for: head))
        case .unsatisfiable:
            return head.response(
                .rangeNotSatisfiable, "the content has \(body.size) bytes",
                headers: [.contentRange: RangeSelection.unsatisfiedContentRange(size: body.size)])
        }
    }

    private func content(
        of body: StoredBody, task id: TaskID, _ range: ByteRange, for head: RequestHead
    ) -> ResponseBody {
        switch body.location {
        case .inline(let bytes):
            let start = min(Int(range.offset), bytes.count)
            let end = min(start + Int(range.length), bytes.count)
            return .bytes(start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end]))
        case .file:
            return .file(
                FileRegion(path: services.bodyPath(of: id), offset: range.offset, length: range.length) { response in
                    response.losesContent(head)
                })
        }
    }

    /// Keeps content of an upstream from running as a document of the gateway's origin, whatever its media type.
    fileprivate static let safety: HTTPFields = [
        .contentTypeOptions: "nosniff",
        .securityPolicy: "sandbox; default-src 'none'",
        .contentDisposition: "attachment",
        .cacheControl: "no-cache",
    ]
}

extension RequestRefusal {
    /// A body cannot be followed over HTTP/1.0, where a response that is cut off looks complete.
    ///
    /// A 400: a 505 refuses a major version (RFC 9110 §15.6.6), and a 426 offers an `Upgrade`, which HTTP/1.0 does not
    /// have (§7.8).
    fileprivate static let followWithoutChunks = RequestRefusal.parameter(
        "follow",
        "true needs HTTP/1.1, because a response that fails would look complete in HTTP/1.0; "
            + "a proxy may have to be set to HTTP/1.1 (nginx: proxy_http_version 1.1)")
}

extension ServerResponse {
    /// Turns a response with the content of a task into a 404, because its file is gone.
    ///
    /// A task that is removed loses its file after its record, which was read before. The fields that do not describe
    /// the content stay, such as the id of the request.
    fileprivate mutating func losesContent(_ head: RequestHead) {
        let problem = head.response(
            .missingBody, "the content does not exist any more; the task was just removed, or its file was lost")
        for field in BodyEndpoint.safety { headers[field.name] = nil }
        for name in [HTTPField.Name.eTag, .acceptRanges, .contentRange] { headers[name] = nil }
        headers[.contentType] = problem.headers[.contentType]
        status = problem.status
        body = problem.body
    }
}
