import ErrandFiles
import Glibc

/// The failure of a system call that an event loop needs.
package struct EventLoopError: Error, CustomStringConvertible {
    /// The system call.
    package let operation: String
    /// The `errno` of the call.
    package let errorNumber: Int32

    package var description: String {
        "\(operation): \(SystemFailure.reason(of: errorNumber))"
    }
}
