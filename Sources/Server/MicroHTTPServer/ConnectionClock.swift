import ErrandHTTPServer
import ErrandTime

/// A point of the monotonic clock, in milliseconds.
typealias Milliseconds = Int64

/// A clock that measures the phases of a connection and reports those that exceed their limits.
///
/// libmicrohttpd has a single timeout, which each byte restarts: a client that sends a byte every few seconds keeps a
/// connection forever. Therefore that timeout is off, and these limits apply. Handlers have no deadline here; they
/// decide themselves how long a response may take.
struct ConnectionClock: Sendable {
    /// The timeouts in milliseconds.
    struct Limits: Sendable {
        var header: Milliseconds
        var body: Milliseconds
        var bodyIdle: Milliseconds
        var keepAlive: Milliseconds
        var rateGrace: Milliseconds
        var minBodyBytesPerSecond: Int64

        init(_ timeouts: ServerTimeouts) {
            header = timeouts.header.milliseconds
            body = timeouts.body.milliseconds
            bodyIdle = timeouts.bodyIdle.milliseconds
            keepAlive = timeouts.keepAlive.milliseconds
            rateGrace = timeouts.rateGrace.milliseconds
            minBodyBytesPerSecond = Int64(timeouts.minBodyBytesPerSecond)
        }

        /// The interval between checks, short enough that no phase exceeds its limit by much.
        var interval: Milliseconds {
            max(5, min(1000, min(header, body, bodyIdle, keepAlive) / 4))
        }
    }

    enum Verdict: Sendable, Equatable {
        /// Continue.
        case fine
        /// Close without a response: no request has begun.
        case close
        /// Send a 408 and close.
        case tooSlow
    }

    private enum Phase {
        /// Before the first request.
        case fresh
        /// Between two requests.
        case kept
        /// After the request line, before the end of the header section.
        case head
        case content(Content)
        /// A handler works, or a response is being sent.
        case responding
    }

    private struct Content {
        /// True if its duration has no limit, only its rate: its handler reads it as it arrives.
        let isStreamed: Bool
        var bytes: Int64 = 0
        var lastByte: Milliseconds
        /// The time for which the connection was suspended because the handler did not read.
        var paused: Milliseconds = 0
        var pausedSince: Milliseconds?
    }

    private var phase = Phase.fresh
    /// The time at which the phase began.
    private(set) var since: Milliseconds

    init(now: Milliseconds) {
        since = now
    }

    /// Records a request line; the time for the first head of a connection began with the connection.
    mutating func headBegan(now: Milliseconds) {
        if case .fresh = phase {} else { since = now }
        phase = .head
    }

    mutating func contentBegan(isStreamed: Bool = false, now: Milliseconds) {
        phase = .content(Content(isStreamed: isStreamed, lastByte: now))
        since = now
    }

    mutating func received(bytes: Int, now: Milliseconds) {
        guard case .content(var content) = phase else { return }
        content.bytes += Int64(bytes)
        content.lastByte = now
        phase = .content(content)
    }

    mutating func paused(now: Milliseconds) {
        guard case .content(var content) = phase, content.pausedSince == nil else { return }
        content.pausedSince = now
        phase = .content(content)
    }

    mutating func resumed(now: Milliseconds) {
        guard case .content(var content) = phase, let pausedSince = content.pausedSince else { return }
        content.paused += now - pausedSince
        content.pausedSince = nil
        content.lastByte = now
        phase = .content(content)
    }

    mutating func requestCompleted(now: Milliseconds) {
        phase = .responding
        since = now
    }

    mutating func responseCompleted(now: Milliseconds) {
        phase = .kept
        since = now
    }

    func verdict(now: Milliseconds, limits: Limits) -> Verdict {
        let lasted = now - since
        switch phase {
        case .fresh: return lasted > limits.header ? .close : .fine
        case .kept: return lasted > limits.keepAlive ? .close : .fine
        case .head: return lasted > limits.header ? .tooSlow : .fine
        case .responding: return .fine
        case .content(let content):
            guard content.isStreamed || lasted <= limits.body else { return .tooSlow }
            guard content.pausedSince == nil else { return .fine }
            guard now - content.lastByte <= limits.bodyIdle else { return .tooSlow }
            let reading = lasted - content.paused
            guard reading > limits.rateGrace else { return .fine }
            let expected = Double(limits.minBodyBytesPerSecond) * Double(reading) / 1000
            return Double(content.bytes) < expected ? .tooSlow : .fine
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least 1 and at most a year.
    var milliseconds: Int64 {
        min(max(1, wholeMilliseconds), 366 * 86_400_000)
    }
}
