import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    /// A gateway performs after a lot of work as it did at first.
    @Suite("Long runs")
    struct LongRunTests {
        /// The number of tasks; `make soak` creates a million.
        private static let taskCount = Soak.isWanted ? 1_000_000 : 60_000
        /// The number of tasks in one measurement.
        private static let sliceCount = Soak.isWanted ? 50_000 : 10_000
        /// The maximum cost of a task at the end, as a multiple of its cost at the start.
        private static let costLimit = 1 / 0.95

        /// Few connections, so that there are many commits.
        private static let connectionCount = 2

        /// The cost of one slice.
        private struct Slice {
            /// The processor time of the gateway per task, in microseconds.
            var processorMicroseconds: Double
            /// The number of tasks per second.
            var rate: Double
            /// The resident memory at the end, in bytes.
            var memoryBytes: Int
        }

        @Test(
            "The last tasks of a long run cost no more than the first, and memory stays constant",
            .enabled(if: !Errand.isThreadSanitized))
        func costStaysFlat() async throws {
            let folder = try TemporaryFolder()
            let load = try await TaskLoad(in: folder)
            try await withEcho { echo in
                try await withGateway(Self.settings(echo), in: folder) { gateway in
                    // Caches, pools and the first pages of the store are a cost of the start, not of the tasks.
                    try await load.run(Self.sliceCount / 5, connections: Self.connectionCount, on: gateway)
                    var slices: [Slice] = []
                    for number in 0..<(Self.taskCount / Self.sliceCount) {
                        let slice = try await measure(load, gateway, Self.sliceCount)
                        slices.append(slice)
                        print(
                            "tasks \((number + 1) * Self.sliceCount): \(Int(slice.rate)) a second,",
                            "\(Int(slice.processorMicroseconds)) µs of processor time each, \(slice.memoryBytes >> 20) MiB"
                        )
                    }
                    let (first, last) = try (#require(slices.first), #require(slices.last))
                    // A test run shares its cores with other programs, and the cost of a task depends on them.
                    Soak.expect(
                        .microseconds(last.processorMicroseconds),
                        within: .microseconds(first.processorMicroseconds * Self.costLimit))
                    #expect(last.memoryBytes < first.memoryBytes * 3 / 2)
                }
            }
        }

        private static func settings(_ echo: EchoProcess) -> GatewaySettings {
            var settings = GatewaySettings(upstream: echo.origin)
            settings.session = ["limits: { concurrent: 64 }"]
            return settings
        }

        private func measure(_ load: TaskLoad, _ gateway: GatewayProcess, _ tasks: Int) async throws -> Slice {
            let clock = ContinuousClock()
            let start = clock.now
            let before = try gateway.process.processorTime()
            try await load.run(tasks, connections: Self.connectionCount, on: gateway)
            let used = try gateway.process.processorTime() - before
            let count = Double(tasks)
            return Slice(
                processorMicroseconds: used / .microseconds(1) / count,
                rate: count / ((clock.now - start) / .seconds(1)),
                memoryBytes: try gateway.process.residentMemoryBytes())
        }
    }
}
