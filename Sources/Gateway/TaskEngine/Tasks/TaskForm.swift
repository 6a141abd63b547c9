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
        case .batchItem: Self.refusedAnywhere
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
        "content_type": #"use headers: write {"headers": {"Content-Type": …}}"#,
    ]

    private static let refusedAlone = refusedAnywhere.merging([
        TaskClaim.member: "use the header Idempotency-Key for the key of a single task"
    ]) { $1 }

    private static let refusedInSchedule = refusedAnywhere.merging([
        TaskClaim.member: "a schedule creates a new task each time, without a key",
        "not_before": "a schedule has its own times; use delay, which counts from each of them",
        "deadline": "a schedule creates tasks repeatedly, which cannot share a deadline",
    ]) { $1 }
}
