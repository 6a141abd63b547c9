public import Synchronization

/// A lock around a value: `Synchronization.Mutex` with critical sections that the thread sanitizer can see.
///
/// On Linux the kernel hands over a contended `Synchronization.Mutex` (`FUTEX_LOCK_PI`), which the sanitizer does not
/// see: it reports a race between the next critical section and the previous one. Here each section begins with a load
/// and ends with a store of an atomic, which expresses the same order in a form that the sanitizer understands. Both
/// are plain moves on x86-64 and single instructions on arm64.
///
/// It is usable from inline: of other package types the compiler inlines no member into another module.
@usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Synchronization.Mutex<Value>
    @usableFromInline let sections = Atomic<UInt>(0)

    /// Creates an unlocked mutex around a value.
    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Synchronization.Mutex(value)
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// `body` must not call other code, which might take the same lock.
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
