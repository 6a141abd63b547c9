package import ErrandJSON
package import ErrandTaskStore
import ErrandTime

extension TaskRenderer {
    /// Writes the remains of a task that retention has removed: some members of a task, and `removed`.
    package static func write(_ task: RemovedTask, to writer: inout JSONWriter) {
        writeRemains(
            of: task.id, session: task.session, state: task.state, createdAt: task.createdAt,
            finishedAt: task.finishedAt, to: &writer)
    }

    /// Writes the remains of a task that was removed while its client waited for its end: the same members, without
    /// its last state and the time of its end, which are not known any more.
    ///
    /// - Parameter task: The task as it was before.
    package static func write(removed task: TaskRecord, to writer: inout JSONWriter) {
        writeRemains(
            of: task.id, session: task.session, state: nil, createdAt: task.createdAt, finishedAt: nil, to: &writer)
    }

    /// Writes the remains of a removed task; `null` for what is not known.
    private static func writeRemains(
        of id: TaskID, session: String, state: TaskState?, createdAt: Timestamp, finishedAt: Timestamp?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("session", session)
        writer.member("state", state?.rawValue)
        writer.member("done", true)
        writer.member("created_at", createdAt)
        writer.member("finished_at", finishedAt)
        writer.member("removed", true)
        writer.endObject()
    }
}
