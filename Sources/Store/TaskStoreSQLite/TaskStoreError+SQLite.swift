import ErrandFiles
import ErrandTaskStore
import GRDB
import Glibc

extension TaskStoreError {
    /// Creates an error of the store from an error of SQLite.
    ///
    /// It contains no statements and no values.
    init(_ error: any Error) {
        switch error {
        case let error as TaskStoreError:
            self = error
        case let error as DatabaseError:
            let underlying = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "")"
            switch error.resultCode {
            case .SQLITE_FULL:
                self.init(.diskFull, Self.full, underlying: underlying)
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
                self.init(.unexpected, "The task store failed", underlying: underlying)
            }
        default:
            self.init(.unexpected, "The task store failed", underlying: "\(type(of: error))")
        }
    }

    /// Creates an error of the store from an error of SQLite, of an operation that writes.
    ///
    /// - Parameter probe: Tells a lack of space from a device that fails, where the code of SQLite does not.
    init(_ error: any Error, probe: SpaceProbe) {
        self.init(error)
        guard probe.explains(error) else { return }
        code = .diskFull
        message = Self.full
    }

    /// Creates an error from a failed system call.
    init(_ failure: SystemFailure) {
        let underlying = failure.description
        switch failure.number {
        case ENOSPC, EDQUOT:
            self.init(.diskFull, Self.full, underlying: underlying)
        case EACCES, EPERM, EROFS:
            self.init(.readOnly, "The folder of the task store cannot be written", underlying: underlying)
        default:
            self.init(.inputOutput, "The task store could not be opened: \(failure.reason)", underlying: underlying)
        }
    }

    private static let full = "The disk is full"

    /// Returns the error of a row that no version of the program writes.
    static func badRow(_ column: String) -> TaskStoreError {
        TaskStoreError(.corrupt, "The task store contains an invalid value", underlying: "column \(column)")
    }
}
