import ErrandTaskStore
import ErrandTime
import GRDB

extension Row {
    /// Reads a Boolean, which is 0 or 1.
    func flag(_ index: Int, _ column: @autoclosure () -> String) throws -> Bool {
        switch self[index] as Int64 {
        case 0: false
        case 1: true
        default: throw TaskStoreError.badRow(column())
        }
    }

    /// Reads a Boolean of a row that must be readable whatever it contains: every value but 0 is true.
    func carefulFlag(_ index: Int) -> Bool { (self[index] as Int64) != 0 }

    /// Reads the identifier of a task.
    func taskID(_ index: Int, _ column: @autoclosure () -> String) throws -> TaskID {
        guard let id = try optionalTaskID(index, column()) else { throw TaskStoreError.badRow(column()) }
        return id
    }

    /// Reads the identifier of a task; returns `nil` for null.
    func optionalTaskID(_ index: Int, _ column: @autoclosure () -> String) throws -> TaskID? {
        try withUnsafeData(atIndex: index) { bytes in
            guard let bytes else { return nil }
            guard let id = TaskID(bytes: bytes) else { throw TaskStoreError.badRow(column()) }
            return id
        }
    }

    /// Reads the identifier of a task; returns `nil` for any other value.
    func validTaskID(_ index: Int) throws -> TaskID? {
        try withUnsafeData(atIndex: index) { bytes in bytes.flatMap { TaskID(bytes: $0) } }
    }

    /// Reads the kind of a task.
    func taskKind(_ index: Int) throws -> TaskKind {
        guard let kind = TaskKind(rawValue: self[index]) else { throw TaskStoreError.badRow("kind") }
        return kind
    }

    /// Reads the state of a task.
    func taskState(_ index: Int) throws -> TaskState {
        guard let state = TaskState(rawValue: self[index]) else { throw TaskStoreError.badRow("state") }
        return state
    }

    /// Reads an instant; returns `nil` for null.
    func timestamp(_ index: Int) -> Timestamp? {
        (self[index] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
