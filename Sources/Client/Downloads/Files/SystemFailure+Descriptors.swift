import ErrandFiles
import Glibc

extension SystemFailure {
    /// True if the process or the system has no free descriptor.
    var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}
