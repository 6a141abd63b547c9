/// Why a store could not do what it was asked.
///
/// The description is safe to show: it holds no path and no data.
package struct TaskStoreError: Error, Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What kind of failure, stable for programs.
    package var code: Code
    /// What happened, for people: one sentence without a full stop.
    package var message: String
    /// What the database or the system said, for logs.
    package var underlying: String?
    /// The session of the one record that cannot be read; `nil` when that is not known, or it is not about a record.
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

    /// The store was closed.
    package static let closed = TaskStoreError(.closed, "The task store is closed")

    /// The store answered for fewer tasks than it was given.
    package static let silent = TaskStoreError(.unexpected, "The store said nothing of a task that was to be added")

    /// The kinds of failure.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no room on the disk; what was submitted is not stored. Later writes may succeed.
        case diskFull = "disk_full"
        /// Another process has the store open.
        case locked
        /// The file is damaged, or holds a value that no version of the program writes.
        case corrupt
        /// Reading or writing failed.
        case inputOutput = "input_output"
        /// The file or its folder cannot be written.
        case readOnly = "read_only"
        /// The store was closed.
        case closed
        /// A newer version of the program has made the store.
        case tooNew = "too_new"
        /// The file is not a task store.
        case foreign
        /// The record is sealed with a key that the store was not given; it is as it was when the key is back.
        case sealed
        /// A task with this identifier exists already.
        case exists
        /// Anything else: a mistake of the program.
        case unexpected
    }
}
