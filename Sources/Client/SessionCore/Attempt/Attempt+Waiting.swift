import ErrandTime
import ErrandTransfer

// The work of the program that an attempt waits for.

extension Attempt {
    /// Performs work of the program: that of a hook, or of the storage of cookies.
    ///
    /// Canceling the attempt and the end of its time cancel the work, whose duration counts towards the total timeout,
    /// except while the attempt is suspended.
    func perform<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let limit = chain.request.timeouts.total.map { max($0 - metrics.active - waited, .milliseconds(1)) }
        let (value, duration) = await control.awaitWork(within: limit, by: session.time, work)
        waited += duration
        return value
    }

    /// Throws the error of an attempt that was canceled or whose time is over.
    func checkTime() throws(SessionError) {
        if let canceled = control.canceled { throw canceled }
        if Task.isCancelled { throw .canceled }
        guard let total = chain.request.timeouts.total else { return }
        if total - metrics.active - waited <= .zero { throw Self.overdue(after: total) }
    }
}
