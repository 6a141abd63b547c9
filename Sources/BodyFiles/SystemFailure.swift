import Glibc
import Transfer

/// A system call that failed: its error number and what it was for.
struct SystemFailure: Error {
    /// The error number.
    let number: Int32
    /// What was tried, such as `open /var/lib/errand/bodies/3f/…`.
    let action: String

    /// Takes over the calling thread's `errno`: to be created directly after the call.
    init(_ action: @autoclosure () -> String) {
        number = errno
        self.action = action()
    }

    /// What the system says of the number.
    var reason: String {
        var text = [CChar](repeating: 0, count: 256)
        let status = strerror_r(number, &text, text.count)
        return status == 0
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            : "error \(number)"
    }

    /// The failure as the owner of a body file sees it.
    var bodyFilesError: BodyFilesError {
        let detail = "\(action): \(reason)"
        return switch number {
        case ENOENT: BodyFilesError(.missing, "The file does not exist", underlying: detail)
        case ENOSPC, EDQUOT: BodyFilesError(.diskFull, "The disk is full", underlying: detail)
        case EACCES, EPERM, EROFS: BodyFilesError(.readOnly, "The folder cannot be written", underlying: detail)
        default: BodyFilesError(.inputOutput, "The system refused: \(reason)", underlying: detail)
        }
    }

    /// The failure as the transfer sees it whose content was being written.
    var transferError: TransferError {
        switch number {
        case ENOSPC, EDQUOT: TransferError(.diskFull, "The disk is full")
        default: TransferError(.cannotWrite, "The content could not be written: \(reason)")
        }
    }
}
