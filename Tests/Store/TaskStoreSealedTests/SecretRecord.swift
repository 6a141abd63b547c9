import ErrandSupport
import ErrandTaskStore

/// Secrets that must not be found on the disk.
enum SecretRecord {
    /// One secret for each sealed part of a record.
    static let secrets = ["task", "request", "callback", "attempts", "response", "error"].map { "canary-in-\($0)" }

    /// Returns a task with all ``secrets``.
    static func sample(_ number: Int, state: TaskState = .queued) -> TaskRecord {
        var record = TaskRecord.sample(number, state: state, labels: ["visible": "label-\(number)"])
        record.change {
            $0.specification.task = json("task")
            $0.specification.request = json("request")
            $0.specification.callback = json("callback")
            $0.result.attempts = json("attempts")
            $0.result.response = Array(#""status":200,"text":"canary-in-response""#.utf8)
            $0.result.error = json("error")
        }
        return record
    }

    /// Returns a document with a secret.
    static func json(_ place: String) -> [UInt8] {
        Array(#"{"text":"canary-in-\#(place)"}"#.utf8)
    }
}
