import HTTPServer
import HTTPTypes

extension Endpoint {
    private static let maxDripBytes: Int64 = 1 << 30

    /// `/drip?bytes=10&duration=2&delay=0`: content that comes in small parts, evenly over a time, after a delay.
    ///
    /// A part comes at most every 10 ms and has at least a byte; the answer's head comes at once.
    static func drip(clock: some Clock<Duration>) -> Endpoint {
        Endpoint(
            [.get], "/drip",
            summary: "?bytes=10&duration=2&delay=0: so many bytes, evenly over the duration, in seconds"
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

/// When which bytes of a drip come.
struct Drip: Sendable {
    /// How many bytes come in all.
    let bytes: Int64
    /// Over which time.
    let duration: Duration
    /// After which time the first comes.
    let delay: Duration

    /// The number of parts.
    var parts: Int64 {
        let (seconds, attoseconds) = duration.components
        let slots = seconds * 100 + attoseconds / 10_000_000_000_000_000
        return min(bytes, max(1, slots))
    }

    /// The positions of a part in the content.
    func positions(ofPart part: Int64) -> Range<Int64> {
        bytes * part / parts..<bytes * (part + 1) / parts
    }

    /// When a part comes, counted from the start.
    func time(ofPart part: Int64) -> Duration {
        delay + duration / parts * part
    }

    /// The content, which starts when it is first asked for.
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
