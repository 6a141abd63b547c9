import Glibc
import Transfer

/// A system call that failed, by its error number.
struct SystemFailure: Error {
    /// The error number.
    let number: Int32

    /// Takes over the calling thread's `errno`: to be created directly after the call.
    init() {
        number = errno
    }

    /// What the system says of the number.
    var reason: String {
        var text = [CChar](repeating: 0, count: 256)
        let status = strerror_r(number, &text, text.count)
        return status == 0
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            : "error \(number)"
    }

    /// The failure of opening a file.
    var openingError: FileSourceError {
        switch number {
        case ENOENT: FileSourceError(.fileNotFound, "The file does not exist")
        case EACCES, EPERM: FileSourceError(.badFile, "The file may not be read")
        case ELOOP: FileSourceError(.badFile, "The file is behind a symbolic link that is not followed")
        case ENOTDIR: FileSourceError(.badFile, "A folder on the way to the file is none, or a symbolic link")
        default: FileSourceError(.badFile, "The file cannot be opened: \(reason)")
        }
    }
}
