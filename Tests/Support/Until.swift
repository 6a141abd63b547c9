/// Waits until a condition holds that the code under test tells by no event.
///
/// Reads the condition again and again, and lets other tasks run in between. No clock decides: the time limit of the
/// suite cancels a wait for a condition that never holds. Where there is an event, wait for that instead.
///
/// Throws `CancellationError` when the task is canceled, or what the condition throws.
package func until(_ isSatisfied: () async throws -> Bool) async throws {
    while try await !isSatisfied() {
        try Task.checkCancellation()
        // A condition need not suspend: loops on all threads would keep other tasks from starting.
        await Task.yield()
    }
}
