import ErrandCryptography
import ErrandSessionCore
package import ErrandTaskStore
import ErrandText

/// The part of attempts in a trace.
extension TraceContext {
    /// Returns the identifier of an attempt in the trace, as 16 lower-case digits: the parent of what the upstream does.
    ///
    /// It is derived from the task and the number of the attempt. So it needs no place in the store, and is known after
    /// a crash too.
    static func spanID(ofAttempt number: Int, of task: TaskID) -> String {
        let number = UInt64(truncatingIfNeeded: number)
        let seed = task.bytes + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        var id = Array(SHA256.hash(seed).prefix(parentIDLength))
        // An identifier of zeros is invalid.
        if id.allSatisfy({ $0 == 0 }) { id[parentIDLength - 1] = 1 }
        return Hexadecimal.encode(id)
    }

    /// Returns the identifier of a task as a whole in the trace: the parent of its attempts, which count from 1.
    static func spanID(ofTask task: TaskID) -> String {
        spanID(ofAttempt: 0, of: task)
    }

    /// Returns the value of `traceparent` for an operation of the trace.
    ///
    /// - Parameter span: The identifier of the operation, 16 lower-case digits.
    package func traceParent(span: String) -> String {
        "00-\(traceID)-\(span)-0\(isSampled ? 1 : 0)"
    }
}

extension TaskRecord {
    /// The identifier of its current attempt in the trace of the task; `nil` for a task without a trace.
    var spanID: String? {
        trace.map { _ in TraceContext.spanID(ofAttempt: attemptCount, of: id) }
    }
}

extension PreparedRequest {
    /// Returns the request of the current attempt of a task, as part of the task's trace.
    func continuingTrace(of record: TaskRecord) -> PreparedRequest {
        guard let trace = record.trace, let span = record.spanID else { return self }
        return continuing(traceParent: trace.traceParent(span: span), traceState: trace.state)
    }
}
