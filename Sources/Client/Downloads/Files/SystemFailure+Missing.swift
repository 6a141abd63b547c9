import ErrandFiles
import Glibc

extension SystemFailure {
    /// True if the file does not exist.
    var isMissingFile: Bool { number == ENOENT }
}
