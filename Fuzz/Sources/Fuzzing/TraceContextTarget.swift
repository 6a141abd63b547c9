import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

extension FuzzTarget {
    /// Fuzzes `traceparent` and `tracestate`: the first line is a `traceparent`, each further one a `tracestate`.
    static let traceContext = FuzzTarget("trace-context") { input in
        var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard let parent = lines.popFirst() else { return }
        var fields = HTTPFields()
        fields.append(HTTPField(name: .traceParent, value: String(decoding: parent, as: UTF8.self)))
        for state in lines {
            fields.append(HTTPField(name: .traceState, value: String(decoding: state, as: UTF8.self)))
        }
        guard let trace = TraceContext(fields) else { return }
        try expect(TraceContext(bytes: trace.bytes) == trace, "the stored form is the trace")
        try expect(HTTPFieldValue.isOneLine(trace.state ?? ""), "a list is one line")
        try expect((trace.state ?? "").utf8.count <= 512, "a list has a limited length")
        var sent: HTTPFields = [.traceParent: trace.traceParent(span: trace.parentID)]
        if let state = trace.state { sent[.traceState] = state }
        try expect(TraceContext(sent) == trace, "what is sent is the same trace")
    }
}
