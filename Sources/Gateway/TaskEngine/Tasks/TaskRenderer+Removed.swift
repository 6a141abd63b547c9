package import ErrandJSON
package import ErrandTaskStore
import ErrandTime

extension TaskRenderer {
    /// Writes the remains of a task that retention has removed: some members of a task, and `removed`.
    package static func write(_ task: RemovedTask, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id")
        writer.string(task.id)
        writer.member("session")
        writer.string(task.session)
        writer.member("state")
        writer.string(task.state.rawValue)
        writer.member("done")
        writer.bool(true)
        writer.member("created_at")
        writer.string(task.createdAt)
        writer.member("finished_at")
        if let time = task.finishedAt { writer.string(time) } else { writer.null() }
        writer.member("removed")
        writer.bool(true)
        writer.endObject()
    }
}
