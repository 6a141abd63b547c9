import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT as an asynchronous event.
///
/// A second signal terminates the process at once.
///
/// SIGPIPE and SIGXFSZ are ignored for the whole process: a disconnected peer is an error of its connection only, and a
/// file that must not grow (`ulimit -f`) is an error of the write only.
final class StopSignals: Sendable {
    private let arrivals: AsyncStream<Int32>
    // The sources live as long as this object, and are not accessed after init.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        arrivals = stream
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would terminate the process before the source is notified.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let count = Counter()
            source.setEventHandler {
                if count.next() > 1 { _exit(128 + number) }
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
    }

    /// Waits for the first signal.
    func first() async {
        for await _ in arrivals { return }
    }
}
