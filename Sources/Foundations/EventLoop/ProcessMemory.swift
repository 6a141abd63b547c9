import CErrandLinux

/// The memory of the process.
package enum ProcessMemory {
    /// Returns freed blocks from the C allocator to the system.
    ///
    /// It takes milliseconds if there are many: call it after a burst, not in each turn.
    package static func giveBack() {
        clinux_give_memory_back()
    }
}
