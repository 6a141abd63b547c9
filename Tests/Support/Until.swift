/// Waits until a condition holds that the code under test tells by no event.
///
/// Reads the condition again and again, and lets other tasks run in between. No clock decides: the time limit of the
/// suite ends a wait for a condition that never holds. Where there is an event, wait for that instead.
package func until(_ isSatisfied: () async throws -> Bool) async rethrows {
    // A condition need not suspend: loops on all threads would keep other tasks from starting.
    while try await !isSatisfied() { await Task.yield() }
}
