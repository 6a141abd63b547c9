import ErrandHTTPServer
import ErrandLocking
import ErrandTime
import HTTPTypes

extension Endpoint {
    private static let maxDripBytes: Int64 = 1 << 30

    /// `/drip?bytes=10&duration=2&delay=0`: returns content in small parts, evenly over a time, after a delay.
    ///
    /// A part has at least one byte, and is sent at least 10 ms after the previous one; the response head is sent at
    /// once.
    static func drip(clock: some Clock<Duration>) -> Endpoint {
        Endpoint(
            [.get], "/drip",
            summary: "?bytes=10&duration=2&delay=0: this number of bytes, evenly over the duration, in seconds"
        ) { head, parameters throws(ProblemDetails) in
            let arguments = Arguments(head, parameters)
            let drip = Drip(
                bytes: try arguments.integer("bytes", in: 0...maxDripBytes, default: 10),
                duration: try arguments.seconds("duration", upTo: maxSeconds, default: .seconds(2)),
                delay: try arguments.seconds("delay", upTo: maxSeconds, default: .zero))
            let headers: HTTPFields = [.contentType: "application/octet-stream"]
            return .reply(
                to: head, ServerResponse(status: .ok, headers: headers, body: .stream(drip.stream(clock: clock))))
        }
    }
}

/// The schedule of a drip.
struct Drip: Sendable {
    /// The number of bytes in total.
    let bytes: Int64
    /// The time over which the bytes are sent.
    let duration: Duration
    /// The time before the first byte.
    let delay: Duration

    /// The number of parts.
    var parts: Int64 {
        min(bytes, max(1, duration.wholeMilliseconds / 10))
    }

    /// Returns the positions of a part in the content.
    func positions(ofPart part: Int64) -> Range<Int64> {
        bytes * part / parts..<bytes * (part + 1) / parts
    }

    /// Returns the time of a part, relative to the start.
    func time(ofPart part: Int64) -> Duration {
        delay + duration / parts * part
    }

    /// Returns the content as a stream, whose time starts with the first read.
    func stream<C: Clock<Duration>>(clock: C) -> ResponseStream {
        let cursor = Cursor(0..<parts)
        let start = StartTime<C.Instant>()
        return ResponseStream(length: bytes) {
            guard let part = cursor.take(upTo: 1)?.lowerBound else { return nil }
            try await clock.sleep(until: start.set(to: clock.now).advanced(by: time(ofPart: part)), tolerance: nil)
            return PatternContent.bytes(positions(ofPart: part))
        }
    }
}

/// A start time, set once.
final class StartTime<Instant: Sendable>: Sendable {
    private let instant = Mutex<Instant?>(nil)

    /// Sets the time unless it is already set, and returns the stored time.
    func set(to now: Instant) -> Instant {
        instant.withLock { instant in
            let start = instant ?? now
            instant = start
            return start
        }
    }
}
