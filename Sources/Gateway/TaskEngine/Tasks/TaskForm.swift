/// The place of a task document, which determines some of its allowed members.
package enum TaskForm: Sendable, Hashable {
    /// The content of a request, with the idempotency key in a header.
    case single
    /// An item of a batch, with its own idempotency key.
    case batchItem
    /// Part of a schedule, from which a task is created at each of its times.
    case schedule

    /// The members that the form does not allow, with the reason.
    var refused: [String: String] {
        switch self {
        case .single: Self.refusedAlone
        case .batchItem: Self.refusedInBatch
        case .schedule: Self.refusedInSchedule
        }
    }

    private static let refusedAnywhere = [
        "download": #"only a task of the kind download has this member; write {"kind": "download"}"#,
        "url": "use path, which may be an absolute URL if the session allows it (url_scope)",
        "json": #"content belongs in body: write {"body": {"json": …}}"#,
        "text": #"content belongs in body: write {"body": {"text": …}}"#,
        "base64": #"content belongs in body: write {"body": {"base64": …}}"#,
        "file": #"content belongs in body: write {"body": {"file": …}}"#,
        "parts": #"content belongs in body: write {"body": {"parts": […]}}"#,
        "data": #"use body, as in {"body": {"json": …}}, or parameters"#,
        "query": "use parameters, which the request serializer puts into the query or the body",
        "params": "use parameters, which the request serializer puts into the query or the body",
        "traceparent": #"send the header field traceparent with this call, or write {"headers": {"traceparent": …}}"#,
        "tracestate": #"send the header field tracestate with this call, or write {"headers": {"tracestate": …}}"#,
        "limit": limits,
        "limits": limits,
        "rate": limits,
        "retries": #"write {"retry": {"max_attempts": …}}, which counts the first attempt too"#,
        "max_attempts": #"write {"retry": {"max_attempts": …}}"#,
        "timeout": #"write {"timeouts": {"total": …}} for the time of one attempt, or deadline for the whole task"#,
        "tags": #"write {"labels": {…}}, each with a value"#,
        "cron": "a schedule creates tasks repeatedly: POST /v1/schedules",
        "webhook": #"write {"callback": {"url": …}}"#,
        "callback_url": #"write {"callback": {"url": …}}"#,
        "content_type": #"use headers: write {"headers": {"Content-Type": …}}"#,
    ]

    private static let limits = "limits belong to the session: set sessions.NAME.limits in the configuration"

    private static let refusedAlone = refusedAnywhere.merging([
        TaskClaim.member: "use the header Idempotency-Key for the key of a single task",
        "wait": "a request waits, not a task: add ?wait=30s to the path, or send Prefer: wait=30",
    ]) { $1 }

    private static let refusedInBatch = refusedAnywhere.merging([
        "wait": "a batch does not wait: read a task with GET /v1/tasks/{id}?wait=30s"
    ]) { $1 }

    private static let refusedInSchedule = refusedAnywhere.merging([
        TaskClaim.member: "a schedule creates a new task each time, without a key",
        "wait": "a schedule does not wait for its tasks; remove the member",
        "cron": "write it beside task, as a member of the schedule",
        "not_before": "a schedule has its own times; use delay, which counts from each of them",
        "deadline": "a schedule creates tasks repeatedly, which cannot share a deadline",
    ]) { $1 }
}
