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

    /// Performs work on this queue in steps, between which the queue performs other work, and returns its result.
    ///
    /// Long work then delays the rest by one step, and not until its end.
    ///
    /// - Parameter step: Performs a step, which may block; returns `nil` if another one follows.
    @inlinable
    package func performInSteps<Value: Sendable, Failure: Error>(
        _ step: @escaping @Sendable () throws(Failure) -> Value?
    ) async throws(Failure) -> Value {
        while true {
            let value: Value? = try await perform(step)
            if let value { return value }
        }
    }
}
