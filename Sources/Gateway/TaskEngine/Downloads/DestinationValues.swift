package import ErrandDownloads
package import ErrandTaskStore
package import ErrandTime

/// The values of the words of a ``DestinationTemplate`` for one task.
package struct DestinationValues: Sendable, Hashable {
    /// The task's identifier.
    package let taskID: String
    /// The name of the task's session.
    package let session: String
    /// The day on which the task was created, in UTC: `2026-11-21`.
    package let date: String
    /// The suggestions of the response.
    package let fileNames: SuggestedFileNames

    /// Creates the values of a task.
    ///
    /// - Parameters:
    ///   - taskID: The task's identifier.
    ///   - session: The name of its session.
    ///   - created: The time of its creation.
    ///   - fileNames: The suggestions of its response.
    package init(taskID: TaskID, session: String, created: Timestamp, fileNames: SuggestedFileNames) {
        self.init(
            taskID: taskID.description, session: session, date: String(created.description.prefix(10)),
            fileNames: fileNames)
    }

    private init(taskID: String, session: String, date: String, fileNames: SuggestedFileNames) {
        self.taskID = taskID
        self.session = session
        self.date = date
        self.fileNames = fileNames
    }

    /// Values with which a template is checked before a task exists.
    static let sample = DestinationValues(
        taskID: "00000000-0000-7000-8000-000000000000", session: "s", date: "2000-01-01",
        fileNames: SuggestedFileNames(contentDisposition: nil, url: ""))
}
