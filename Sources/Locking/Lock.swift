#if THREAD_SANITIZER
    import Glibc
#else
    public import Synchronization
#endif

/// A value that one thread at a time can reach.
///
/// It is `Synchronization.Mutex`, but for the thread sanitizer: the slow path of that one is in a library without
/// instrumentation, so the sanitizer does not see a contended lock being taken and reports races that are none. Built
/// with `THREAD_SANITIZER` (as `Scripts/test` does for the sanitizer's run), the lock is a `pthread_mutex_t`, which the
/// sanitizer knows.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    #if THREAD_SANITIZER
        private let box: PthreadBox<Value>

        /// Puts a value under the lock.
        public init(_ value: consuming sending Value) {
            box = PthreadBox(value)
        }

        /// Reaches the value, for as long as the closure runs. Do not call out of it, and do not take it twice.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try box.withLock(body)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        /// Puts a value under the lock.
        @inlinable
        public init(_ value: consuming sending Value) {
            mutex = Mutex(value)
        }

        /// Reaches the value, for as long as the closure runs. Do not call out of it, and do not take it twice.
        @inlinable
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}

#if THREAD_SANITIZER
    /// The value and its `pthread_mutex_t`, which must not move.
    ///
    /// `@unchecked Sendable`: the value is touched with the mutex held only.
    private final class PthreadBox<Value: ~Copyable>: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var value: Value

        init(_ value: consuming sending Value) {
            self.value = value
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value)
        }
    }
#endif
