import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewayAPI

@Suite("The documents of events", .timeLimit(.hang))
struct EventDocumentsTests {
    private static func event(_ id: Int64, _ kind: StoredEvent.Kind) -> StoredEvent {
        StoredEvent(
            id: id, kind: kind, at: .now(), task: .sample(1), session: "github", taskKind: .data, revision: id)
    }

    /// Returns documents of a task that has succeeded, with a counter of its reads.
    private static func documents(counting reads: EventCounter) -> EventDocuments {
        EventDocuments { _, _ in
            reads.increment()
            return .sample(1, state: .succeeded)
        }
    }

    @Test("An event that shows its task is rendered once for all streams, also while it is being rendered")
    func rendersOnce() async throws {
        let reads = EventCounter()
        let documents = Self.documents(counting: reads)
        let event = Self.event(1, .state(.succeeded))
        let rendered = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try await documents.bytes(of: event) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(rendered.count == 1)
        #expect(reads.count == 1)
    }

    @Test("Other events need no task, and all streams share the same bytes")
    func sharesBytes() async throws {
        let documents = EventDocuments { id, _ in
            Issue.record("the task \(id) was read")
            return nil
        }
        let event = Self.event(1, .state(.queued))
        let first = try await documents.bytes(of: event)
        let second = try await documents.bytes(of: event)
        #expect(first == EventDocument.bytes(of: event, record: nil))
        // Two arrays with the same place in memory have one buffer.
        let places = [first, second].map { bytes in bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }
        #expect(places[0] == places[1])
    }

    @Test("A failed read is tried again by the next stream")
    func triesAgain() async throws {
        let failures = Mutex(1)
        let documents = EventDocuments { _, _ throws(TaskStoreError) in
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw TaskStoreError(.inputOutput, "the disk has failed") }
            return .sample(1, state: .failed)
        }
        let event = Self.event(1, .state(.failed))
        await #expect(throws: TaskStoreError.self) { try await documents.bytes(of: event) }
        let bytes = try await documents.bytes(of: event)
        #expect(bytes == EventDocument.bytes(of: event, record: .sample(1, state: .failed)))
    }

    @Test("Documents beyond the newest are rendered again")
    func forgetsOld() async throws {
        let reads = EventCounter()
        let documents = Self.documents(counting: reads)
        for id in 1...Int64(EventDocuments.capacity + 1) {
            _ = try await documents.bytes(of: Self.event(id, .state(.succeeded)))
        }
        #expect(reads.count == EventDocuments.capacity + 1)
        _ = try await documents.bytes(of: Self.event(2, .state(.succeeded)))
        #expect(reads.count == EventDocuments.capacity + 1)
        _ = try await documents.bytes(of: Self.event(1, .state(.succeeded)))
        #expect(reads.count == EventDocuments.capacity + 2)
    }
}
