import ErrandTaskStore
import ErrandTime

/// Consecutive tasks of a list as JSON text.
///
/// It is made while the store's reader waits, so that at most one page of records is in memory for each reader, however
/// many clients read lists and however late their next step is.
struct TaskListPiece: Sendable {
    /// The text, which has no more memory than it needs, apart from a little for the end of the document.
    var text: [UInt8]
    /// The number of tasks in the text.
    let count: Int
    /// The place of the last task in the list; `nil` if there is none.
    let last: (id: TaskID, finishedAt: Timestamp?)?
    /// True if more tasks match.
    let hasMore: Bool

    /// The usual size of the end of the document.
    private static let endBytes = 128

    /// Renders the first tasks of a page, at least one, so that each piece makes progress.
    ///
    /// - Parameters:
    ///   - page: The tasks.
    ///   - isFirst: True for the start of the document; `false` for tasks after others.
    ///   - bytes: The most bytes of the text, unless the first task is larger.
    ///   - render: Returns the text of a task.
    init(of page: TaskPage, isFirst: Bool, atMost bytes: Int, render: (TaskRecord) -> [UInt8]) {
        let start = isFirst ? #"{"tasks":["# : ""
        var texts: [[UInt8]] = []
        var size = start.utf8.count
        for task in page.tasks {
            let text = render(task)
            guard texts.isEmpty || size + text.count <= bytes else { break }
            size += text.count + 1
            texts.append(text)
        }
        text = []
        text.reserveCapacity(size + Self.endBytes)
        text += start.utf8
        for (index, item) in texts.enumerated() {
            if !isFirst || index > 0 { text.append(UInt8(ascii: ",")) }
            text += item
        }
        count = texts.count
        last = page.tasks.prefix(texts.count).last.map { ($0.id, $0.finishedAt) }
        hasMore = count < page.tasks.count || page.next != nil
    }
}
