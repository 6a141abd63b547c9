/// A failure of a store operation.
///
/// The description is safe to show, because it contains no path and no data.
package struct TaskStoreError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind of failure, stable for programs.
    package var code: Code
    /// The message for the user: one sentence without a full stop.
    package var message: String
    /// The message of the database or the system, for logs.
    package var underlying: String?
    /// The session of the unreadable record; `nil` if it is unknown, or if the error is not about one record.
    package var session: String?

    /// Creates an error.
    package init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    package var description: String { "\(code.rawValue): \(message)" }

    package var debugDescription: String {
        underlying.map { "\(description) (\($0))" } ?? description
    }

    /// True if an operation on a task failed because this task is damaged, or sealed with a missing key.
    ///
    /// Other tasks can still be read and changed, and a repetition fails in the same way until a start that can read
    /// the task: so work on many tasks goes on without this one.
    package var isOfOneTask: Bool { code == .corrupt || code == .sealed }

    /// The store was closed.
    package static let closed = TaskStoreError(.closed, "The task store is closed")

    /// The caller was canceled.
    package static let canceled = TaskStoreError(.canceled, "The request was canceled by its client")

    /// Too many reads are waiting.
    package static let tooManyReads = TaskStoreError(.tooManyReads, "Too many lists are being read")

    /// A read took too long, including its time in the queue.
    package static let readTimedOut = TaskStoreError(
        .timedOut,
        "The list took longer than store.read_timeout; use narrower filters such as label, state or created_after")

    /// A filter looks into documents, which are sealed.
    package static let unsearchable = TaskStoreError(
        .unsearchable, "Tasks cannot be found by error, status or method while store.encryption_keys seals them")

    /// The store returned fewer results than the tasks that it was given.
    package static let missingResult = TaskStoreError(.unexpected, "The store returned no result for an inserted task")

    /// The kinds of failure.
    package enum Code: String, Sendable, CaseIterable {
        /// The disk is full and the data was not stored.
        ///
        /// Later writes may succeed.
        case diskFull = "disk_full"
        /// Another process has the store open.
        case locked
        /// The file is damaged, or contains a value that no version of the program writes.
        case corrupt
        /// Reading or writing failed.
        case inputOutput = "input_output"
        /// The file or its folder is not writable.
        case readOnly = "read_only"
        /// The store was closed.
        case closed
        /// A newer version of the program created the store.
        case tooNew = "too_new"
        /// The file is not a task store.
        case foreign
        /// The record is sealed with a key that the store does not have.
        ///
        /// It becomes readable when the key is available.
        case sealed
        /// A task with this identifier exists already.
        case exists
        /// The operation takes longer than a client should wait.
        ///
        /// It may complete later, and can be requested again.
        case busy
        /// The task is being canceled, which takes longer than a client should wait; then it can be deleted.
        case stillCanceling = "still_canceling"
        /// The caller was canceled before there was a result.
        case canceled
        /// Too many reads are waiting.
        case tooManyReads = "too_many_reads"
        /// A filter looks into documents, which are sealed.
        case unsearchable
        /// A read took longer than `store.read_timeout`.
        case timedOut = "timed_out"
        /// Any other failure, which is a bug in the program.
        case unexpected
    }
}
