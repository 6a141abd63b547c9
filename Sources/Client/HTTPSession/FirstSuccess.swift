import ErrandLocking

/// A value that is created when it is first needed, and kept from then on; a failure is not kept.
///
/// Any thread. Callers that come during the creation wait for it.
final class FirstSuccess<Value: Sendable, Failure: Error>: Sendable {
    private let make: @Sendable () throws(Failure) -> Value
    private let kept = Mutex<Value?>(nil)

    /// Creates a holder without a value.
    ///
    /// - Parameter make: Creates the value; called until it succeeds, never by two threads at once. It must not use the
    ///   holder.
    init(_ make: @escaping @Sendable () throws(Failure) -> Value) {
        self.make = make
    }

    /// Returns the value, which may have to be created first.
    ///
    /// - Throws: The error of the creation, which the next call tries again.
    func value() throws(Failure) -> Value {
        try kept.withLock { kept throws(Failure) -> Value in
            if let kept { return kept }
            let new = try make()
            kept = new
            return new
        }
    }
}
