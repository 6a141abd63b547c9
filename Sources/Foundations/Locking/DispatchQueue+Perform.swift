public import Dispatch

extension DispatchQueue {
    /// Performs work on this queue, and returns its result.
    ///
    /// The work may block, which the threads of Swift's pool must not.
    @inlinable
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }
}
