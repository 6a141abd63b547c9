import Glibc

/// Unpredictable random bytes from the kernel.
package enum SystemRandomness {
    /// Returns random bytes, or `nil` if the kernel provides none, or for more than 256 bytes (getentropy(3)).
    ///
    /// It asks the kernel each time: a copy of the process has no state that it could repeat.
    @Sendable package static func bytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return getentropy(&bytes, count) == 0 ? bytes : nil
    }
}
