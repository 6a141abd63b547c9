public import Synchronization

/// The caller of ``withContinuation(isolation:_:)``, which waits for a value: `CheckedContinuation` in a form that the
/// thread sanitizer can follow.
///
/// If a continuation is resumed before its task waits, Swift's runtime lets the task go on without telling the sanitizer
/// that the resumption came first, and the sanitizer reports a race between the thread that made the value and the task
/// that reads it. Here the resumption sets an atomic, and the task continues with a load of it, in an object of the same
/// size as the one that a checked continuation allocates.
///
/// A continuation is resumed once. A second resumption traps; one that is never resumed fails an assertion in debug
/// builds, as its task waits without end.
@safe
@usableFromInline
package final class Continuation<Value>: Sendable {
    @usableFromInline let task: UnsafeContinuation<Value, Never>
    @usableFromInline let isResumed = Atomic<Bool>(false)

    @inlinable
    init(_ task: UnsafeContinuation<Value, Never>) {
        // It is resumed in `resume(returning:)` only, which happens once.
        unsafe self.task = task
    }

    /// Resumes the task with a value.
    @inlinable
    package func resume(returning value: sending Value) {
        let wasResumed = isResumed.exchange(true, ordering: .acquiringAndReleasing)
        // A second resumption would continue a task that has gone on already.
        precondition(!wasResumed, "A continuation is resumed twice")
        // The first resumption of this task, as the exchange has shown.
        unsafe task.resume(returning: value)
    }

    @inlinable
    deinit {
        // Without a resumption the task waits for ever.
        assert(isResumed.load(ordering: .relaxed), "A continuation is not resumed")
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
    // The task is resumed by `Continuation` only.
    let value = await unsafe withUnsafeContinuation(isolation: isolation) { (task: UnsafeContinuation<Value, Never>) in
        // The type sees to it that the task is resumed once.
        let new = unsafe Continuation(task)
        continuation = new
        body(new)
    }
    _ = continuation?.isResumed.load(ordering: .acquiring)
    return value
}
