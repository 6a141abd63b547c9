import ErrandFiles
import ErrandTransfer
import Glibc

extension SystemFailure {
    /// The error for a file that could not be opened.
    var openingError: FileSourceError {
        switch number {
        case ENOENT: FileSourceError(.fileNotFound, "The file does not exist")
        case EACCES, EPERM: FileSourceError(.badFile, "Access to the file is denied")
        case ELOOP: FileSourceError(.badFile, "The file is behind a symbolic link that is not followed")
        case ENOTDIR: FileSourceError(.badFile, "A component of the path to the file is a symbolic link or no folder")
        default: FileSourceError(.badFile, "The file cannot be opened: \(reason)")
        }
    }
}
