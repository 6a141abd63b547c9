public import Synchronization

/// The caller of ``withContinuation(isolation:_:)``, which waits for a value: `CheckedContinuation` in a form that the
/// thread sanitizer can follow.
///
/// If a continuation is resumed before its task waits, Swift's runtime lets the task go on without telling the sanitizer
/// that the resumption came first, and the sanitizer reports a race between the thread that made the value and the task
/// that reads it. Here the resumption begins with a store of an atomic, and the task continues with a load of it. Both
/// are plain moves on x86-64; the object that they share is a small allocation.
///
/// A continuation is resumed once: a second resumption ends the process, and one that is never resumed is reported on
/// standard error.
@usableFromInline
package final class Continuation<Value>: Sendable {
    @usableFromInline let task: CheckedContinuation<Value, Never>
    @usableFromInline let isResumed = Atomic<Bool>(false)

    @inlinable
    init(_ task: CheckedContinuation<Value, Never>) {
        self.task = task
    }

    /// Resumes the task with a value.
    @inlinable
    package func resume(returning value: sending Value) {
        isResumed.store(true, ordering: .releasing)
        task.resume(returning: value)
    }
}

extension Continuation where Value == Void {
    /// Resumes the task.
    @inlinable
    package func resume() {
        resume(returning: ())
    }
}

/// Suspends the current task until its continuation is resumed.
///
/// - Parameter body: Passes the continuation on. Runs on the caller's thread, before the task waits.
/// - Returns: The value of the resumption.
@inlinable
package func withContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Continuation<Value>) -> Void
) async -> sending Value {
    var continuation: Continuation<Value>?
    // Swift's unchecked form would be compiled into this module, where the sanitizer sees its own accesses as races.
    let value = await withCheckedContinuation(isolation: isolation) { (task: CheckedContinuation<Value, Never>) in
        let new = Continuation(task)
        continuation = new
        body(new)
    }
    _ = continuation?.isResumed.load(ordering: .acquiring)
    return value
}
