import Glibc

/// Random bytes of the kernel, which nobody can foresee.
package enum SystemRandomness {
    /// That many random bytes; `nil` when the kernel gives none, or for more than 256, as getentropy(3) has it.
    ///
    /// Asks the kernel each time: nothing is kept that a copy of the process could repeat.
    @Sendable package static func bytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return getentropy(&bytes, count) == 0 ? bytes : nil
    }
}
