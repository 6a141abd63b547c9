package import Synchronization

/// A lock around a value: `Synchronization.Mutex`, whose every critical section the thread sanitizer can see.
///
/// On Linux a contended `Synchronization.Mutex` is handed over by the kernel (`FUTEX_LOCK_PI`), where the sanitizer
/// does not look: it takes the next critical section for a race with the last one. Here each section begins with a load
/// and ends with a store of an atomic, which says the same in a way that it understands. Both are plain moves on x86-64
/// and single instructions on arm64.
package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Synchronization.Mutex<Value>
    @usableFromInline let sections = Atomic<UInt>(0)

    /// Creates an unlocked mutex around a value.
    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Synchronization.Mutex(value)
    }

    /// Runs `body` alone with the value.
    ///
    /// Do not call out of `body`: what is called may want the lock too.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value) throws(Failure) -> sending Result in
            let section = sections.load(ordering: .acquiring)
            defer { sections.store(section &+ 1, ordering: .releasing) }
            return try body(&value)
        }
    }
}
