import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Memory does not grow with the faults of batches")
    struct BatchMemoryTests {
        /// The size of a batch, in bytes; the limit is 64 MiB (`server.max_body`).
        private static let bytes = 57 << 20
        /// The number of batches at a time, which the budget of 256 MiB allows (`server.max_buffered`).
        private static let count = 3
        /// The most memory: the batches, what judging them takes, and what the allocator keeps.
        private static let limitBytes = count * bytes + 128 << 20

        /// Batches without a valid task.
        enum Nonsense: String, CaseIterable, CustomTestStringConvertible {
            /// Unknown members with long names, which have to be escaped in the response.
            case longNames
            /// Thousands of empty objects in each item.
            case emptyObjects

            var testDescription: String { rawValue }

            /// An item of about 110,000 bytes: a batch has fewer than 1,000 of them (`server.max_batch`).
            private var item: String {
                switch self {
                case .longNames:
                    "{\((0..<110).map { "\"\($0)\(String(repeating: "~", count: 1000))\":1" }.joined(separator: ","))}"
                case .emptyObjects:
                    "{\"x\":[\(Array(repeating: "{}", count: 37_000).joined(separator: ","))]}"
                }
            }

            var batch: String {
                let item = item
                let count = BatchMemoryTests.bytes / (item.utf8.count + 1)
                return "{\"tasks\":[\(Array(repeating: item, count: count).joined(separator: ","))]}"
            }
        }

        @Test(
            "Three batches of 57 MiB of nonsense take little more memory than their text, and others are served",
            .enabled(if: !Errand.isSanitized), arguments: Nonsense.allCases)
        func nonsense(kind: Nonsense) async throws {
            let batch = kind.batch
            try await withGateway { gateway in
                let others = GoodClient(gateway)
                try await others.round()
                let before = try gateway.process.peakMemoryBytes()
                let ended = EventLog<Void>()
                let batches = (0..<Self.count).map { _ in
                    Task {
                        defer { ended.append() }
                        return try await gateway.client().post("/v1/tasks:batch", json: batch)
                    }
                }
                var rounds = 0
                while ended.events.count < Self.count {
                    try await others.round()
                    if ended.events.count < Self.count { rounds += 1 }
                }
                for batch in batches {
                    let response = try await batch.value
                    #expect(response.status == 200)
                    #expect(response.body.count < 2 << 20)
                }
                let growth = try gateway.process.peakMemoryBytes() - before
                print("\(Self.count) batches of \(kind): \(growth >> 20) MiB more memory, \(rounds) rounds of others")
                #expect(growth < Self.limitBytes)
                #expect(rounds > 0)
            }
        }
    }
}
