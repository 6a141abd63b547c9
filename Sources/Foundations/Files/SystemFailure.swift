internal import Glibc

/// A failed system call, with its error number and purpose.
package struct SystemFailure: Error, Sendable, CustomStringConvertible {
    /// The error number.
    package let number: Int32
    /// The attempted action, such as `open /var/lib/errand/bodies/3f/…`.
    package let action: String
    /// True if the disk has space, which the program keeps free; see ``DiskMargin``.
    package let keepsSpaceFree: Bool

    /// Captures the calling thread's `errno`; must be called directly after the system call.
    package init(_ action: @autoclosure () -> String) {
        number = errno
        self.action = action()
        keepsSpaceFree = false
    }

    /// Creates a failure with an error number.
    ///
    /// - Parameter keepsSpaceFree: True if the disk has space, which the program keeps free.
    package init(_ action: String, number: Int32, keepsSpaceFree: Bool = false) {
        self.number = number
        self.action = action
        self.keepsSpaceFree = keepsSpaceFree
    }

    /// True if the file does not exist.
    package var isMissingFile: Bool { number == ENOENT }

    /// True if the process or the system has no free descriptor.
    package var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE }

    /// The system's description of the error number.
    package var reason: String { Self.reason(of: number) }

    /// The action and the reason.
    package var description: String { "\(action): \(reason)" }

    /// Returns the system's description of an error number; any thread.
    package static func reason(of number: Int32) -> String {
        var text = [CChar](repeating: 0, count: 256)
        let status = strerror_r(number, &text, text.count)
        return status == 0
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            : "error \(number)"
    }
}
