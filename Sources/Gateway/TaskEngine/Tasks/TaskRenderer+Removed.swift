package import ErrandJSON
package import ErrandTaskStore
import ErrandTime

extension TaskRenderer {
    /// Writes the remains of a task that retention has removed: some members of a task, and `removed`.
    package static func write(_ task: RemovedTask, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", task.id)
        writer.member("session", task.session)
        writer.member("state", task.state.rawValue)
        writer.member("done", true)
        writer.member("created_at", task.createdAt)
        writer.member("finished_at", task.finishedAt)
        writer.member("removed", true)
        writer.endObject()
    }
}
