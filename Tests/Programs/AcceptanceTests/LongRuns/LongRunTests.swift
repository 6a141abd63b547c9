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
        ///
        /// `make soak` runs an optimised program alone, and compares rates too. A test run shares its cores with others,
        /// which come and go, and what a task costs depends on them: there a second gateway, which has done nothing,
        /// says what it costs now. A cost that grows with each commit is several times as high after this many tasks.
        private static let costLimit = Soak.isWanted ? 1 / 0.95 : 2

        /// The maximum time of a scrape of `/metrics`, the median of several.
        private static let scrapeLimit = Duration.milliseconds(20)

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
            .enabled(if: !Errand.isSanitized))
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
                    if Soak.isWanted {
                        #expect(last.processorMicroseconds < first.processorMicroseconds * Self.costLimit)
                        #expect(last.rate * Self.costLimit > first.rate)
                    } else {
                        let (old, new) = try await compare(gateway, load, echo)
                        #expect(old < new * Self.costLimit)
                    }
                    #expect(last.memoryBytes < first.memoryBytes * 3 / 2)
                    try await scrape(gateway)
                }
            }
        }

        /// Has an old gateway and a new one do the same work in turns, so that both meet the same machine.
        ///
        /// - Returns: What a task costs each of them, in microseconds of processor time.
        private func compare(
            _ gateway: GatewayProcess, _ load: TaskLoad, _ echo: EchoProcess
        ) async throws -> (old: Double, new: Double) {
            try await withGateway(Self.settings(echo)) { other in
                try await load.run(Self.sliceCount / 5, connections: Self.connectionCount, on: other)
                var costs = (old: 0.0, new: 0.0)
                let turns = 4
                for _ in 0..<turns {
                    costs.new += try await measure(load, other, Self.sliceCount / turns).processorMicroseconds
                    costs.old += try await measure(load, gateway, Self.sliceCount / turns).processorMicroseconds
                }
                costs = (costs.old / Double(turns), costs.new / Double(turns))
                print("at the end \(Int(costs.old)) µs for each task, of a new gateway \(Int(costs.new)) µs")
                return costs
            }
        }

        /// Reads the metrics, whose cost must not depend on the number of stored tasks.
        private func scrape(_ gateway: GatewayProcess) async throws {
            let client = try gateway.client()
            let clock = ContinuousClock()
            var times: [Duration] = []
            for _ in 0..<11 {
                let start = clock.now
                #expect(try await client.get("/metrics").status == 200)
                times.append(clock.now - start)
            }
            let median = times.sorted()[times.count / 2]
            print("a scrape takes \(median)")
            Soak.expect(median, within: Self.scrapeLimit, "a scrape")
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
