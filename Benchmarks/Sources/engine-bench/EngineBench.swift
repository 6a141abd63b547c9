import ErrandCurlEngine
import ErrandTransfer
import Glibc

/// Runs N small transfers, C at a time, over the engine in the same way as a session.
///
/// `curl-loop.c` does the same with libcurl alone, for comparison.
@main
struct EngineBench {
    private let request: TransferRequest
    private let transfers: Int
    private let concurrency: Int
    private let parked: (request: TransferRequest, count: Int)?

    static func main() async {
        guard let bench = EngineBench(arguments: Array(CommandLine.arguments.dropFirst())) else {
            print("usage: engine-bench URL TRANSFERS CONCURRENCY [PARKED-URL PARKED]")
            exit(64)
        }
        do {
            try await bench.run()
        } catch {
            print(error)
            exit(1)
        }
    }

    private init?(arguments: [String]) {
        guard arguments.count == 3 || arguments.count == 5, let url = try? HTTPURL(arguments[0]),
            let transfers = Int(arguments[1]), let concurrency = Int(arguments[2]), transfers > 0, concurrency > 0
        else { return nil }
        // The default limits of a session.
        let timeouts = TransferTimeouts(connect: .seconds(10), idle: .seconds(60), total: .seconds(3600))
        request = TransferRequest(url: url, timeouts: timeouts)
        self.transfers = transfers
        self.concurrency = concurrency
        if arguments.count == 5 {
            guard let url = try? HTTPURL(arguments[3]), let count = Int(arguments[4]) else { return nil }
            parked = (TransferRequest(url: url, timeouts: timeouts), count)
        } else {
            parked = nil
        }
    }

    private func run() async throws {
        let engine = try CurlEngine()
        let connections = concurrency + (parked?.count ?? 0)
        let session = engine.session(
            ConnectionOptions(maxConnectionsPerHost: connections, maxIdleConnections: connections))
        let crowd = await park(in: session)
        let start = ContinuousClock.now
        let failed = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<concurrency {
                let share = transfers / concurrency + (worker < transfers % concurrency ? 1 : 0)
                group.addTask {
                    var failed = 0
                    for _ in 0..<share where await session.perform(request, receiver: Counter()).error != nil {
                        failed += 1
                    }
                    return failed
                }
            }
            return await group.reduce(0, +)
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        print("\(Int(Double(transfers) / seconds)) transfers/s, \(failed) failed")
        crowd?.cancel()
        _ = await crowd?.value
        await engine.shutdown()
        if failed > 0 { exit(1) }
    }

    /// Starts the transfers that never end, and waits two seconds for them to reach their server.
    private func park(in session: CurlSession) async -> Task<Void, Never>? {
        guard let parked else { return nil }
        let crowd = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<parked.count {
                    group.addTask { _ = await session.perform(parked.request, receiver: Counter()) }
                }
            }
        }
        // The task of the measurement is not canceled.
        try? await Task.sleep(for: .seconds(2))
        return crowd
    }
}

/// A receiver that counts bytes.
///
/// `@unchecked Sendable`: a receiver serves one transfer, which calls it from one thread, one call at a time.
private final class Counter: TransferReceiver, @unchecked Sendable {
    private var count = 0

    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        count += bytes.byteCount
        return .more
    }
}
