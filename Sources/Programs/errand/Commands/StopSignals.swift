import Dispatch
import ErrandLocking
import Glibc

import struct Synchronization.Atomic

/// SIGTERM and SIGINT as an asynchronous event.
///
/// A second signal of the same kind terminates the process at once, with 128 and its number as the exit status.
///
/// SIGPIPE and SIGXFSZ are ignored for the whole process: a disconnected peer is an error of its connection only, and a
/// file that must not grow (`ulimit -f`) is an error of the write only.
final class StopSignals: Sendable {
    private let arrivals: AsyncStream<Int32>
    private let lastAction: LastAction
    private let total: Counter
    // The sources live as long as this object, and are not accessed after init.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        arrivals = stream
        let lastAction = LastAction()
        self.lastAction = lastAction
        let total = Counter()
        self.total = total
        // A second signal ends the process also if no Swift task can run.
        let queue = DispatchQueue(label: "errand.stop-signals")
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would terminate the process before the source is notified.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            let count = Counter()
            source.setEventHandler {
                _ = total.next()
                if count.next() > 1 {
                    let status = 128 + number
                    lastAction.perform(number, status)
                    _exit(status)
                }
                continuation.yield(number)
            }
            source.activate()
            return source
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func next() -> Int {
            value.wrappingAdd(1, ordering: .relaxed).newValue
        }

        var isZero: Bool {
            value.load(ordering: .relaxed) == 0
        }
    }

    /// The action before the process ends at a second signal.
    private final class LastAction: Sendable {
        private let state = Mutex(State())

        private struct State {
            var action: (@Sendable (_ signal: Int32, _ status: Int32) -> Void)?
        }

        func set(_ action: @escaping @Sendable (_ signal: Int32, _ status: Int32) -> Void) {
            state.withLock { $0.action = action }
        }

        func perform(_ signal: Int32, _ status: Int32) {
            let action = state.withLock { $0.action }
            action?(signal, status)
        }
    }

    /// Sets the action before the process ends at a second signal; none by default.
    ///
    /// - Parameter action: Takes the signal and the exit status. It must not block for long, and may run on any thread.
    func beforeSecond(_ action: @escaping @Sendable (_ signal: Int32, _ status: Int32) -> Void) {
        lastAction.set(action)
    }

    /// True from the arrival of the first signal.
    var haveArrived: Bool { !total.isZero }

    /// Waits for the first signal, and returns its number.
    func first() async -> Int32 {
        for await number in arrivals { return number }
        // Not reached: the stream never ends.
        return SIGTERM
    }
}
