import HTTPServer
import HTTPTypes

/// The problems of the gateway, besides those of every server.
extension ProblemType {
    /// 400: the content is not JSON; `line` and `column` say where.
    static let malformedJSON = ProblemType(
        name: "malformed-json", title: "The content is not JSON", status: .badRequest)
    /// 400: a query parameter has a value that cannot be.
    static let badParameter = ProblemType(
        name: "bad-parameter", title: "A query parameter is wrong", status: .badRequest)
    /// 400: a header field has a value that cannot be.
    static let badHeader = ProblemType(name: "bad-header", title: "A header field is wrong", status: .badRequest)
    /// 400: several `Authorization` fields, of which one only can count.
    static let ambiguousAuthorization = ProblemType(
        name: "ambiguous-authorization", title: "There is more than one Authorization field", status: .badRequest)
    /// 401: no token, or one that is not known.
    static let unauthorized = ProblemType(
        name: "unauthorized", title: "A valid token is needed", status: .unauthorized)
    /// 403: a page of another origin asks.
    static let crossOrigin = ProblemType(
        name: "cross-origin", title: "Requests from other origins are not allowed", status: .forbidden)
    /// 403: the token is not for this; `WWW-Authenticate` names the scope that it needs.
    static let insufficientScope = ProblemType(
        name: "insufficient-scope", title: "The token is not for this", status: .forbidden)
    /// 403: the token must not use the session.
    static let sessionForbidden = ProblemType(
        name: "session-forbidden", title: "The token must not use the session", status: .forbidden)
    /// 404: there is no such task, or none any more.
    static let noSuchTask = ProblemType(name: "no-such-task", title: "There is no such task", status: .notFound)
    /// 404: there is no such session.
    static let noSuchSession = ProblemType(
        name: "no-such-session", title: "There is no such session", status: .notFound)
    /// 404: there is no such schedule.
    static let noSuchSchedule = ProblemType(
        name: "no-such-schedule", title: "There is no such schedule", status: .notFound)
    /// 409: the name of the schedule is taken.
    static let scheduleExists = ProblemType(
        name: "schedule-exists", title: "There is a schedule of this name", status: .conflict)
    /// 409: the schedule is in the configuration, where it can be changed.
    static let configuredSchedule = ProblemType(
        name: "configured-schedule", title: "The schedule is changed in the configuration only", status: .conflict)
    /// 409: there are as many schedules as there may be.
    static let tooManySchedules = ProblemType(
        name: "too-many-schedules", title: "There are too many schedules", status: .conflict)
    /// 422: the content is JSON and not a schedule; `errors` says where and why.
    static let invalidSchedule = ProblemType(
        name: "invalid-schedule", title: "The schedule is not valid", status: .unprocessableContent)
    /// 404: the task is done and has no response content.
    static let noBody = ProblemType(name: "no-body", title: "The task has no response content", status: .notFound)
    /// 409: the task is not where it could be done.
    static let wrongState = ProblemType(
        name: "wrong-state", title: "The state of the task does not allow this", status: .conflict)
    /// 409: an operator has closed the session.
    static let sessionClosed = ProblemType(
        name: "session-closed", title: "The session takes no tasks any more", status: .conflict)
    /// 409: another request with the key is being answered.
    static let idempotencyKeyInUse = ProblemType(
        name: "idempotency-key-in-use", title: "A request with the key is being answered", status: .conflict)
    /// 412: it is not in the state that `If-Match` or `If-None-Match` names.
    static let preconditionFailed = ProblemType(
        name: "precondition-failed", title: "It has changed meanwhile", status: .preconditionFailed)
    /// 415: the content is not declared as a change; `Accept-Patch` says how it has to be.
    static let unsupportedPatchType = ProblemType(
        name: "unsupported-patch-type", title: "The content must be application/merge-patch+json",
        status: .unsupportedMediaType)
    /// 415: the content is not declared as JSON.
    static let unsupportedMediaType = ProblemType(
        name: "unsupported-media-type", title: "The content must be application/json",
        status: .unsupportedMediaType)
    /// 415: the content is compressed, or coded otherwise (RFC 9110 §15.5.16).
    static let unsupportedContentCoding = ProblemType(
        name: "unsupported-content-coding", title: "The content must not be coded", status: .unsupportedMediaType)
    /// 416: the range begins behind the end of the content.
    static let rangeNotSatisfiable = ProblemType(
        name: "range-not-satisfiable", title: "The range is behind the end of the content",
        status: .rangeNotSatisfiable)
    /// 421: `Host` names somebody else.
    static let misdirectedRequest = ProblemType(
        name: "misdirected-request", title: "The request is meant for another server", status: .misdirectedRequest)
    /// 422: the content is JSON and not a task; `errors` says where and why.
    static let invalidTask = ProblemType(
        name: "invalid-task", title: "The task is not valid", status: .unprocessableContent)
    /// 422: the content is JSON and has other options than there are; `errors` says where and why.
    static let invalidOptions = ProblemType(
        name: "invalid-options", title: "The options are not valid", status: .unprocessableContent)
    /// 422: the configuration that was to be reloaded has faults; `errors` says where and why, and nothing has changed.
    static let invalidConfiguration = ProblemType(
        name: "invalid-configuration", title: "The configuration is not valid", status: .unprocessableContent)
    /// 422: the content is JSON and no batch; `errors` says where and why, and nothing was created.
    static let invalidBatch = ProblemType(
        name: "invalid-batch", title: "The batch is not valid", status: .unprocessableContent)
    /// 422: the content is JSON and no change that can be made; `errors` says where and why.
    static let invalidEdit = ProblemType(
        name: "invalid-edit", title: "The change is not valid", status: .unprocessableContent)
    /// 422: the client's key was used for something else.
    static let idempotencyKeyReused = ProblemType(
        name: "idempotency-key-reused", title: "The key has made another task", status: .unprocessableContent)
    /// 429: as many tasks of the session wait as may; `Retry-After` says when to come again.
    static let queueFull = ProblemType(
        name: "queue-full", title: "The session's queue is full", status: .tooManyRequests)
    /// 429: the token has used up its rate; `Retry-After` says when it may come again.
    static let tooManyRequests = ProblemType(
        name: "too-many-requests", title: "There are too many requests with the token", status: .tooManyRequests)
    /// 503: the store cannot write or read at the moment; nothing was accepted.
    static let storeUnavailable = ProblemType(
        name: "store-unavailable", title: "The task store is not available", status: .serviceUnavailable)
    /// 503: the gateway is not ready for tasks.
    static let notReady = ProblemType(
        name: "not-ready", title: "The gateway is not ready", status: .serviceUnavailable)

    /// Every type that the gateway can answer with.
    static let all: [ProblemType] =
        serverTypes + [
            .malformedJSON, .badParameter, .badHeader, .ambiguousAuthorization, .unauthorized, .crossOrigin,
            .insufficientScope, .sessionForbidden, .noSuchTask, .noSuchSession, .noSuchSchedule, .noBody, .wrongState,
            .sessionClosed, .scheduleExists, .configuredSchedule, .idempotencyKeyInUse, .preconditionFailed,
            .unsupportedPatchType, .unsupportedMediaType, .unsupportedContentCoding, .rangeNotSatisfiable,
            .misdirectedRequest, .invalidTask, .invalidBatch, .invalidOptions, .invalidEdit, .invalidSchedule,
            .idempotencyKeyReused, .invalidConfiguration, .tooManySchedules, .queueFull, .tooManyRequests,
            .storeUnavailable, .notReady,
        ]
}
