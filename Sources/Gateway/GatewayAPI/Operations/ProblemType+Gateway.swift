import ErrandHTTPServer
import HTTPTypes

/// The problem types of the gateway, besides those of every server.
extension ProblemType {
    /// 400: the content is not JSON; `line` and `column` give the position.
    static let malformedJSON = ProblemType(
        name: "malformed-json", title: "The content is not JSON", status: .badRequest)
    /// 400: the content is JSON that nests deeper than `server.max_depth`; `line` and `column` give the position.
    static let jsonTooDeep = ProblemType(
        name: "json-too-deep", title: "The content is nested too deep", status: .badRequest)
    /// 400: the content is not a form with a task and its content.
    static let malformedForm = ProblemType(
        name: "malformed-form", title: "The form is not a task with its content", status: .badRequest)
    /// 400: a query parameter is invalid or unknown.
    static let badParameter = ProblemType(
        name: "bad-parameter", title: "A query parameter is invalid", status: .badRequest)
    /// 400: a header field is invalid.
    static let badHeader = ProblemType(name: "bad-header", title: "A header field is invalid", status: .badRequest)
    /// 400: the request has several `Authorization` fields.
    static let ambiguousAuthorization = ProblemType(
        name: "ambiguous-authorization", title: "There is more than one Authorization field", status: .badRequest)
    /// 400: the client has closed its sending side before the response, which cancels the request.
    static let clientLeft = ProblemType(
        name: "client-left", title: "The client closed its sending side too early", status: .badRequest)
    /// 401: the token is missing or unknown.
    static let unauthorized = ProblemType(
        name: "unauthorized", title: "A valid token is required", status: .unauthorized)
    /// 403: a web page of another origin sent the request.
    static let crossOrigin = ProblemType(
        name: "cross-origin", title: "Requests from other origins are not allowed", status: .forbidden)
    /// 403: the token lacks the required scope, which `WWW-Authenticate` names.
    static let insufficientScope = ProblemType(
        name: "insufficient-scope", title: "The token lacks the required scope", status: .forbidden)
    /// 403: the token has no access to the session.
    static let sessionForbidden = ProblemType(
        name: "session-forbidden", title: "The token has no access to the session", status: .forbidden)
    /// 404: the task does not exist, or was deleted.
    static let noSuchTask = ProblemType(name: "no-such-task", title: "The task does not exist", status: .notFound)
    /// 404: the session does not exist.
    static let noSuchSession = ProblemType(
        name: "no-such-session", title: "The session does not exist", status: .notFound)
    /// 404: the schedule does not exist.
    static let noSuchSchedule = ProblemType(
        name: "no-such-schedule", title: "The schedule does not exist", status: .notFound)
    /// 409: a schedule with this name exists.
    static let scheduleExists = ProblemType(
        name: "schedule-exists", title: "A schedule with this name exists", status: .conflict)
    /// 409: the schedule belongs to the configuration, and can only be changed there.
    static let configuredSchedule = ProblemType(
        name: "configured-schedule", title: "The schedule can only be changed in the configuration", status: .conflict)
    /// 409: the maximum number of schedules is reached.
    static let tooManySchedules = ProblemType(
        name: "too-many-schedules", title: "Too many schedules", status: .conflict)
    /// 422: the content is JSON but not a valid schedule; `errors` has positions and reasons.
    static let invalidSchedule = ProblemType(
        name: "invalid-schedule", title: "The schedule is not valid", status: .unprocessableContent)
    /// 503: the process is alive, but runs no Swift tasks.
    static let tasksStuck = ProblemType(
        name: "tasks-stuck", title: "The process runs no tasks", status: .serviceUnavailable)
    /// 404: the task is finished and has no response content.
    static let missingBody = ProblemType(name: "no-body", title: "The task has no response content", status: .notFound)
    /// 409: the state of the task does not allow the action.
    static let wrongState = ProblemType(
        name: "wrong-state", title: "The state of the task does not allow the action", status: .conflict)
    /// 409: an operator closed the session.
    static let sessionClosed = ProblemType(
        name: "session-closed", title: "The session is closed", status: .conflict)
    /// 409: another request with the same idempotency key is in progress.
    static let idempotencyKeyInUse = ProblemType(
        name: "idempotency-key-in-use", title: "A request with the key is in progress", status: .conflict)
    /// 412: the resource does not match `If-Match` or `If-None-Match`.
    static let preconditionFailed = ProblemType(
        name: "precondition-failed", title: "A condition of the request is not met", status: .preconditionFailed)
    /// 415: the content is not declared as a merge patch; `Accept-Patch` names the expected type.
    static let unsupportedPatchType = ProblemType(
        name: "unsupported-patch-type", title: "The content must be application/merge-patch+json",
        status: .unsupportedMediaType)
    /// 415: the content is not declared as JSON.
    static let unsupportedMediaType = ProblemType(
        name: "unsupported-media-type", title: "The content must be application/json",
        status: .unsupportedMediaType)
    /// 415: the content is compressed or has another content coding (RFC 9110 §15.5.16).
    static let unsupportedContentCoding = ProblemType(
        name: "unsupported-content-coding", title: "Content codings are not supported", status: .unsupportedMediaType)
    /// 416: the range begins beyond the end of the content.
    static let rangeNotSatisfiable = ProblemType(
        name: "range-not-satisfiable", title: "The range is beyond the end of the content",
        status: .rangeNotSatisfiable)
    /// 421: `Host` names another server.
    static let misdirectedRequest = ProblemType(
        name: "misdirected-request", title: "The request is meant for another server", status: .misdirectedRequest)
    /// 422: the content is JSON but not a valid task; `errors` has positions and reasons.
    static let invalidTask = ProblemType(
        name: "invalid-task", title: "The task is not valid", status: .unprocessableContent)
    /// 422: the content is JSON but has unknown or invalid options; `errors` has positions and reasons.
    static let invalidOptions = ProblemType(
        name: "invalid-options", title: "The options are not valid", status: .unprocessableContent)
    /// 422: the configuration to be loaded is invalid; `errors` has positions and reasons, and nothing has changed.
    static let invalidConfiguration = ProblemType(
        name: "invalid-configuration", title: "The configuration is not valid", status: .unprocessableContent)
    /// 422: the content is JSON but not a valid batch; `errors` has positions and reasons, and no task was created.
    static let invalidBatch = ProblemType(
        name: "invalid-batch", title: "The batch is not valid", status: .unprocessableContent)
    /// 422: the content is JSON but not a valid change; `errors` has positions and reasons.
    static let invalidEdit = ProblemType(
        name: "invalid-edit", title: "The change is not valid", status: .unprocessableContent)
    /// 422: the idempotency key was used for another request.
    static let idempotencyKeyReused = ProblemType(
        name: "idempotency-key-reused", title: "The key was used for another request", status: .unprocessableContent)
    /// 429: the session's queue of waiting tasks is full; `Retry-After` has the time to wait.
    static let queueFull = ProblemType(
        name: "queue-full", title: "The session's queue is full", status: .tooManyRequests)
    /// 429: the token exceeded its rate; `Retry-After` has the time to wait.
    static let tooManyRequests = ProblemType(
        name: "too-many-requests", title: "The token exceeded its rate", status: .tooManyRequests)
    /// 503: the store cannot write or read at the moment; no task was accepted.
    static let storeUnavailable = ProblemType(
        name: "store-unavailable", title: "The task store is not available", status: .serviceUnavailable)
    /// 503: the maximum number of concurrent list requests, or of bulk calls, is reached; `Retry-After` has the time to wait.
    static let storeBusy = ProblemType(
        name: "store-busy", title: "Too many requests use the store at once", status: .serviceUnavailable)
    /// 503: the maximum number of concurrent uploads of content is reached; `Retry-After` has the time to wait.
    static let tooManyContents = ProblemType(
        name: "too-many-contents", title: "Too many concurrent uploads of content", status: .serviceUnavailable)
    /// 503: the maximum number of requests that follow bodies is reached; `Retry-After` has the time to wait.
    static let tooManyFollowers = ProblemType(
        name: "too-many-followers", title: "Too many requests follow bodies", status: .serviceUnavailable)
    /// 503: a list took longer than `store.read_timeout`; a narrower filter is faster.
    static let listTimeout = ProblemType(
        name: "list-timeout", title: "The list took too long", status: .serviceUnavailable)
    /// 503: a reload of the configuration takes longer than its caller may wait, and goes on.
    static let reloadUnderWay = ProblemType(
        name: "reload-under-way", title: "The configuration is still being reloaded", status: .serviceUnavailable)
    /// 503: the gateway is not ready to accept tasks.
    static let notReady = ProblemType(
        name: "not-ready", title: "The gateway is not ready", status: .serviceUnavailable)

    /// All problem types of the gateway.
    static let all: [ProblemType] =
        serverTypes + [
            .malformedJSON, .jsonTooDeep, .malformedForm, .badParameter, .badHeader, .ambiguousAuthorization,
            .clientLeft, .unauthorized, .crossOrigin, .insufficientScope, .sessionForbidden, .noSuchTask,
            .noSuchSession, .noSuchSchedule, .missingBody, .wrongState, .sessionClosed, .scheduleExists,
            .configuredSchedule, .idempotencyKeyInUse, .preconditionFailed, .unsupportedPatchType,
            .unsupportedMediaType, .unsupportedContentCoding, .rangeNotSatisfiable, .misdirectedRequest,
            .invalidTask, .invalidBatch, .invalidOptions, .invalidEdit, .invalidSchedule, .idempotencyKeyReused,
            .invalidConfiguration, .tooManySchedules, .queueFull, .tooManyRequests, .storeUnavailable, .storeBusy,
            .tooManyContents, .tooManyFollowers, .listTimeout, .reloadUnderWay, .notReady, .tasksStuck,
        ]
}
