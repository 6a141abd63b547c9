import ErrandLocking

/// A clock whose time advances only through sleeps, which return at once; it records them.
final class RecordingClock: Clock {
    struct Instant: InstantProtocol {
        var sinceStart: Duration

        func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
    }

    private let waits = Mutex<[Duration]>([])

    /// The ends of the sleeps, in order, relative to the start.
    var waitedUntil: [Duration] { waits.withLock { $0 } }

    var now: Instant { Instant(sinceStart: waits.withLock { $0.max() ?? .zero }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        waits.withLock { $0.append(deadline.sinceStart) }
    }
}
