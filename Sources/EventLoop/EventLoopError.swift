import Glibc

/// A system call that an event loop needs has failed.
package struct EventLoopError: Error, CustomStringConvertible {
    /// The system call.
    package let operation: String
    /// Its `errno`.
    package let errorNumber: Int32

    package var description: String {
        "\(operation): \(String(cString: strerror(errorNumber)))"
    }
}
