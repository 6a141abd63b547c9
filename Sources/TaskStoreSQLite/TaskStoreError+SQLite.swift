import GRDB
import Glibc
import TaskStore

extension TaskStoreError {
    /// What SQLite has said, as an error of the store.
    ///
    /// Statements and their values stay out of it.
    init(_ error: any Error) {
        switch error {
        case let error as TaskStoreError:
            self = error
        case let error as DatabaseError:
            let underlying = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "")"
            switch error.resultCode {
            case .SQLITE_FULL:
                self.init(.diskFull, "The disk is full", underlying: underlying)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                self.init(.locked, "Another process uses the task store", underlying: underlying)
            case .SQLITE_CORRUPT:
                self.init(.corrupt, "The task store is damaged", underlying: underlying)
            case .SQLITE_NOTADB:
                self.init(.foreign, "The file is not a task store", underlying: underlying)
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
                self.init(.readOnly, "The task store cannot be written", underlying: underlying)
            case .SQLITE_IOERR, .SQLITE_CANTOPEN:
                self.init(.inputOutput, "The task store could not be read or written", underlying: underlying)
            default:
                self.init(.unexpected, "The task store refused", underlying: underlying)
            }
        default:
            self.init(.unexpected, "The task store refused", underlying: "\(type(of: error))")
        }
    }

    /// A failed system call.
    init(system number: Int32, _ action: String) {
        var text = [CChar](repeating: 0, count: 256)
        let status = strerror_r(number, &text, text.count)
        let reason =
            status == 0
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "error \(number)"
        let underlying = "\(action): \(reason)"
        switch number {
        case ENOSPC, EDQUOT:
            self.init(.diskFull, "The disk is full", underlying: underlying)
        case EACCES, EPERM, EROFS:
            self.init(.readOnly, "The folder of the task store cannot be written", underlying: underlying)
        default:
            self.init(.inputOutput, "The task store could not be opened: \(reason)", underlying: underlying)
        }
    }

    /// A row that no version of the program writes.
    static func badRow(_ column: String) -> TaskStoreError {
        TaskStoreError(.corrupt, "The task store holds a value that it cannot have", underlying: "column \(column)")
    }
}
