import Locking
public import Transfer

/// A body that is given out in packets with a delay after each: `packetBytes` in every `delay` at most.
///
/// A packet is so many bytes, in however many reads they are fetched. While the delay lasts the source pauses, and no
/// thread waits. It applies to the content sent again after ``rewind()`` too: a packet that was full stays full until
/// its delay is over.
public final class ThrottledSource: BodySource {
    private let source: any BodySource
    private let packetBytes: Int
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let pace: Mutex<Pace>

    private struct Pace {
        /// The bytes that the packet has left.
        var left: Int
        /// The delay after a full packet, while it lasts.
        var wait: Wait?
        /// Counts the delays, so that one that was given up is told from the present one.
        var number = 0
        /// To be called after a pause; `nil` when nobody reads.
        var resume: (@Sendable () -> Void)?
    }

    private struct Wait {
        /// Ends the delay.
        var task: Task<Void, Never>?
        /// A read was answered with a pause.
        var isAwaited = false
    }

    /// Slows a source down.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from; belongs to the throttle from now on.
    ///   - throttle: The packet and the delay. A packet of less than one byte counts as one of one byte; a delay that is
    ///     not positive is none.
    ///   - clock: Measures the delay.
    public init(
        _ source: any BodySource, _ throttle: BandwidthThrottle, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.source = source
        packetBytes = max(throttle.packetBytes, 1)
        delay = throttle.delay
        self.clock = clock
        pace = Mutex(Pace(left: packetBytes))
    }

    /// The length of the source.
    public var length: Int64? { source.length }

    /// Begins the source with a fresh packet.
    public func begin(resume: @escaping @Sendable () -> Void) {
        reset(resume: resume)
        source.begin(resume: resume)
    }

    /// Ends the source and gives a delay up.
    ///
    /// A resume that is on its way at this moment may still arrive; none comes later.
    public func end() {
        reset(resume: nil)
        source.end()
    }

    /// Reads from the source what the packet has left.
    public func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let left = pace.withLock { pace -> Int? in
            guard pace.wait != nil else { return pace.left }
            pace.wait?.isAwaited = true
            return nil
        }
        guard let left else { return .pause }
        let before = buffer.byteCount
        let answer = buffer.withRoom(left) { source.read(into: &$0) }
        spend(buffer.byteCount - before)
        return answer
    }

    /// Rewinds the source; the pace stays.
    public func rewind() -> Bool {
        source.rewind()
    }

    private func reset(resume: (@Sendable () -> Void)?) {
        let given = pace.withLock { pace in
            defer { pace = Pace(left: packetBytes, number: pace.number + 1, resume: resume) }
            return pace.wait?.task
        }
        given?.cancel()
    }

    /// Takes bytes from the packet, and begins its delay when it is full.
    private func spend(_ count: Int) {
        let number = pace.withLock { pace -> Int? in
            pace.left -= count
            guard pace.left <= 0 else { return nil }
            pace.left = packetBytes
            guard delay > .zero else { return nil }
            pace.number += 1
            pace.wait = Wait()
            return pace.number
        }
        guard let number else { return }
        let task = Task { [weak self, clock, delay] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                // Only a delay that was given up is cut short.
                return
            }
            self?.delayIsOver(number)
        }
        pace.withLock { pace in
            // It may be over already.
            if pace.number == number { pace.wait?.task = task }
        }
    }

    private func delayIsOver(_ number: Int) {
        let resume = pace.withLock { pace -> (@Sendable () -> Void)? in
            guard pace.number == number, let wait = pace.wait else { return nil }
            pace.wait = nil
            return wait.isAwaited ? pace.resume : nil
        }
        resume?()
    }
}
