import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandText
import ErrandTime
import HTTPTypes

/// The spans of tasks: one for the whole task, and one below it for each attempt.
///
/// Names of attributes that exist are those of OpenTelemetry's semantic conventions for HTTP; the others begin with
/// `errand.`. Only tasks of a trace that its client records have spans.
extension Span {
    /// The longest text of a value, in bytes.
    private static let maxTextBytes = 512

    /// Creates the span of a task that has ended; `nil` if it has none.
    init?(_ record: TaskRecord) {
        guard let trace = record.trace, trace.isSampled, let end = record.finishedAt, record.state.isTerminal else {
            return nil
        }
        self.init(
            traceID: trace.traceID, id: TraceContext.spanID(ofTask: record.id),
            parentID: record.parent.map(TraceContext.spanID(ofTask:)) ?? trace.parentID,
            traceState: trace.state ?? "", name: "task \(record.session)", kind: .internal, start: record.createdAt,
            end: end)
        attributes = Self.identity(of: record)
        add("errand.task.state", record.state.rawValue)
        add("errand.task.attempts", record.attemptCount)
        for (name, value) in record.labels.sorted(by: { $0.key < $1.key }) { add("errand.label.\(name)", value) }
        guard record.state == .failed else { return }
        let error = record.result.error.flatMap { JSONObject(stored: $0) }
        if let code = error?["code"]?.string { add("error.type", code) }
        failure = error?["message"]?.string?.shortened(toBytes: Self.maxTextBytes) ?? "failed"
    }

    /// Creates the span of an attempt that has ended; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - record: The task during the attempt.
    ///   - end: The time of its end.
    init?(_ attempt: EndedAttempt, of record: TaskRecord, duration: Duration, end: Timestamp) {
        guard let trace = record.trace, trace.isSampled else { return nil }
        self.init(
            traceID: trace.traceID, id: TraceContext.spanID(ofAttempt: attempt.number, of: record.id),
            parentID: TraceContext.spanID(ofTask: record.id), traceState: trace.state ?? "",
            name: attempt.method.rawValue,
            kind: .client, start: end.adding(.zero - duration), end: end)
        add("http.request.method", attempt.method.rawValue)
        if let url = JSONObject(stored: record.specification.request)?["url"]?.string {
            // A query may identify persons.
            let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
            add("url.full", String(url[..<end]))
        }
        if let status = attempt.status { add("http.response.status_code", status) }
        if attempt.number > 1 { add("http.request.resend_count", attempt.number - 1) }
        attributes += Self.identity(of: record)
        guard let error = attempt.error else { return }
        add("error.type", error.code.rawValue)
        failure = error.message.shortened(toBytes: Self.maxTextBytes)
    }

    private mutating func add(_ name: String, _ text: String) {
        attributes.append(Attribute(name: name, value: .text(text.shortened(toBytes: Self.maxTextBytes))))
    }

    private mutating func add(_ name: String, _ number: Int) {
        attributes.append(Attribute(name: name, value: .number(number)))
    }

    private static func identity(of record: TaskRecord) -> [Attribute] {
        [
            Attribute(name: "errand.task.id", value: .text(record.id.description)),
            Attribute(name: "errand.task.kind", value: .text(record.kind.rawValue)),
            Attribute(name: "errand.session", value: .text(record.session)),
        ]
    }
}
