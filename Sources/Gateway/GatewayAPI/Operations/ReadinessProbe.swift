import ErrandLocking
import ErrandTaskEvents
import ErrandTaskStore

/// A check that the store can write, which runs one probe at a time and caches the result for a moment.
///
/// A store that does not answer is an error after a while, and its probe stays the only one until it returns. Any
/// thread.
final class ReadinessProbe: Sendable {
    /// The lifetime of a result.
    static let lifetime = Duration.seconds(1)
    /// The time after which the store counts as not answering.
    static let patience = Duration.seconds(5)

    private let probe: @Sendable () async -> TaskStoreError?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let looks: SharedOperation<Verdict>
    /// The result of the last probe.
    private let last = Mutex<Verdict?>(nil)

    private struct Verdict {
        let error: TaskStoreError?
        let time: ContinuousClock.Instant
    }

    /// Creates a probe without a result.
    ///
    /// - Parameters:
    ///   - timer: Measures how long a probe takes.
    ///   - probe: Returns the error, or `nil` on success.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        timer: SharedTimer = SharedTimer(ContinuousClock()),
        _ probe: @escaping @Sendable () async -> TaskStoreError?
    ) {
        self.now = now
        self.probe = probe
        looks = SharedOperation(patience: Self.patience, timer: timer)
    }

    /// Creates a probe of a store.
    convenience init(_ store: any TaskStore) {
        self.init {
            do throws(TaskStoreError) {
                try await store.checkWritable()
                return nil
            } catch {
                return error
            }
        }
    }

    /// Returns the error of the store, or `nil` if it can write.
    ///
    /// The wait is at most ``patience``, and does not end with the calling task: a client that has closed its sending side
    /// after the request still gets the response, and cannot be told from one that has left.
    func check() async -> TaskStoreError? {
        if let verdict = validVerdict { return verdict.error }
        guard let verdict = await looks.value(of: { [self] in await look() }) else { return Self.noAnswer }
        return verdict.error
    }

    private func look() async -> Verdict {
        // A probe may have ended since the caller asked for its result.
        if let verdict = validVerdict { return verdict }
        let error = await probe()
        let verdict = Verdict(error: error, time: now())
        last.withLock { $0 = verdict }
        return verdict
    }

    private var validVerdict: Verdict? {
        last.withLock { $0 }.flatMap { $0.time.advanced(by: Self.lifetime) > now() ? $0 : nil }
    }

    private static let noAnswer = TaskStoreError(
        .busy, "The store does not answer: a write takes longer than \(patience.components.seconds) s")
}
