import GRDB
import TaskStore

extension Row {
    /// A truth value, which is 0 or 1.
    func flag(_ index: Int, _ column: String) throws -> Bool {
        switch self[index] as Int64 {
        case 0: false
        case 1: true
        default: throw TaskStoreError.badRow(column)
        }
    }

    /// The identifier of a task.
    func taskID(_ index: Int, _ column: String) throws -> TaskID {
        guard let id = try optionalTaskID(index, column) else { throw TaskStoreError.badRow(column) }
        return id
    }

    /// The identifier of a task, `nil` for null.
    func optionalTaskID(_ index: Int, _ column: String) throws -> TaskID? {
        try withUnsafeData(atIndex: index) { bytes in
            guard let bytes else { return nil }
            guard let id = TaskID(bytes: bytes) else { throw TaskStoreError.badRow(column) }
            return id
        }
    }

    /// What a task is.
    func taskKind(_ index: Int) throws -> TaskKind {
        guard let kind = TaskKind(rawValue: self[index]) else { throw TaskStoreError.badRow("kind") }
        return kind
    }

    /// The state of a task.
    func taskState(_ index: Int) throws -> TaskState {
        guard let state = TaskState(rawValue: self[index]) else { throw TaskStoreError.badRow("state") }
        return state
    }

    /// An instant, `nil` for null.
    func timestamp(_ index: Int) -> Timestamp? {
        (self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
