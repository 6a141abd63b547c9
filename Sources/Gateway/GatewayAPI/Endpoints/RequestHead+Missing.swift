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
        let tag = record.entityTag
        return response(
            .preconditionFailed,
            failsIfNoneMatch(on: tag)
                ? "If-None-Match excludes the task as it is, at revision \(record.revision)"
                : "If-Match does not name the task as it is, at revision \(record.revision): read it again",
            headers: [.eTag: tag.description])
    }

    /// Returns 412: the schedule does not match the condition of the request.
    ///
    /// - Parameter tag: The current entity tag of the schedule; `nil` if there is none that the caller may see.
    func changedSchedule(now tag: EntityTag?) -> ServerResponse {
        let detail =
            if tag == nil {
                "the schedule does not exist, and If-Match expects that it does"
            } else if failsIfNoneMatch(on: tag) {
                "If-None-Match excludes the schedule as it is"
            } else {
                "If-Match does not name the schedule as it is: read it again"
            }
        return response(.preconditionFailed, detail, headers: tag.map { [.eTag: $0.description] } ?? [:])
    }

    /// Returns true if the precondition that fails is `If-None-Match`.
    private func failsIfNoneMatch(on tag: EntityTag?) -> Bool {
        (try? Preconditions(self))?.failedField(on: tag) == .ifNoneMatch
    }
}
