import ErrandFiles
import ErrandTransfer
import Glibc

extension SystemFailure {
    /// The failure as an error of a body file.
    var bodyFilesError: BodyFilesError {
        let detail = description
        return switch number {
        case ENOENT: BodyFilesError(.missing, "The file does not exist", underlying: detail)
        case ENOSPC, EDQUOT: BodyFilesError(.diskFull, "The disk is full", underlying: detail)
        case EACCES, EPERM, EROFS: BodyFilesError(.readOnly, "The folder cannot be written", underlying: detail)
        default: BodyFilesError(.inputOutput, "The system call failed: \(reason)", underlying: detail)
        }
    }

    /// The failure as an error of the transfer whose content was being written.
    var transferError: TransferError {
        switch number {
        case ENOSPC where keepsSpaceFree:
            TransferError(.diskFull, "The disk would have less free space than files.min_free")
        case ENOSPC, EDQUOT: TransferError(.diskFull, "The disk is full")
        default: TransferError(.cannotWrite, "The content could not be written: \(reason)")
        }
    }
}
