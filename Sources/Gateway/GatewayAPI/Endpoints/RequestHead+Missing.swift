import ErrandHTTPServer
import ErrandTaskStore
import HTTPTypes

/// Responses shared by several endpoints for missing or changed resources.
extension RequestHead {
    /// Returns 404: no task with this id is visible to the caller.
    func noSuchTask() -> ServerResponse {
        RequestRefusal.noSuchTask.response(to: self)
    }

    /// Returns 404: no schedule with this name is visible to the caller.
    func noSuchSchedule() -> ServerResponse {
        RequestRefusal.noSuchSchedule.response(to: self)
    }

    /// Returns 409: the schedule belongs to the configuration.
    func configuredSchedule() -> ServerResponse {
        response(
            .configuredSchedule,
            "the schedule is in the configuration: change it there, under schedules, and reload; the API can suspend,"
                + " resume and run it")
    }

    /// Returns 412: the task does not match the condition of the request.
    func changedTask(_ record: TaskRecord) -> ServerResponse {
        response(
            .preconditionFailed, "the task is at revision \(record.revision)",
            headers: [.eTag: record.entityTag.description])
    }

    /// Returns 412: the schedule does not match the condition of the request.
    ///
    /// - Parameter tag: The current entity tag of the schedule; `nil` if there is none that the caller may see.
    func changedSchedule(now tag: EntityTag?) -> ServerResponse {
        response(
            .preconditionFailed,
            tag == nil
                ? "the schedule does not exist, and If-Match expects that it does"
                : "the schedule does not match If-Match or If-None-Match: read it again",
            headers: tag.map { [.eTag: $0.description] } ?? [:])
    }
}
