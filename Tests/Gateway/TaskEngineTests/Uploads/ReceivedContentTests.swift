import ErrandBodyFiles
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Content of a task that ends while it arrives", .timeLimit(.hang))
struct ReceivedContentTests {
    /// More than a spool keeps in memory, so that there is a file.
    private static let part = [UInt8](repeating: 7, count: 1 << 20)

    /// Content whose client sends one part, and then neither more nor an end.
    private struct StuckContent: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var part: [UInt8]? = ReceivedContentTests.part

            /// Returns the part, then waits until the reader is canceled.
            mutating func next() async throws -> [UInt8]? {
                defer { part = nil }
                if let part { return part }
                await untilCanceled()
                throw CancellationError()
            }
        }

        /// Returns an iterator at the first part.
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    /// An event that ends a task.
    enum Ending: CaseIterable {
        case canceled, deleted, overdue
    }

    /// Returns the outcome of content whose task ends when its first bytes have arrived, and checks what is left of it.
    private func outcome<Parts: AsyncSequence & Sendable>(
        of parts: Parts, _ ending: Ending
    ) async throws -> ContentOutcome where Parts.Element == [UInt8] {
        let fixture = try DispatcherFixture(time: ManualClock())
        var outcome = ContentOutcome.unavailable
        try await fixture.open {
            let deadline = fixture.now().adding(.seconds(3600))
            let task = try await fixture.create(
                "", method: "PUT", #","kind":"upload","body":{"content":"later"},"deadline":"\#(deadline)""#)
            let services = TaskServices(
                context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
                bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64)
            let service = services.service(for: .anonymous)
            async let received = service.receiveContent(of: task, parts, maxBytes: nil, expecting: nil)
            // The writer of the file tells nothing of its creation.
            try await until { try BodyFiles.exist(in: fixture.folder.path, name: "contents") }
            switch ending {
            case .canceled: _ = try await fixture.dispatcher.cancel(task.id)
            case .deleted: _ = try await fixture.dispatcher.delete(task.id)
            case .overdue:
                fixture.setting.set(to: .seconds(3601))
                _ = fixture.context.now()
            }
            outcome = try await received
            let isLeft = try BodyFiles.exist(in: fixture.folder.path, name: "contents")
            #expect(!isLeft)
            #expect(fixture.context.contentsUnderWay.begin(task.id) == .admitted)
        }
        return outcome
    }

    @Test("The rest of the content is not read when its task has ended", arguments: Ending.allCases)
    func ends(_ ending: Ending) async throws {
        switch try await outcome(of: StuckContent(), ending) {
        case .notAwaited(let task): #expect(task.state.isTerminal)
        case .noTask: #expect(ending == .deleted)
        case let other: Issue.record("\(other)")
        }
    }

    @Test("Content that is complete when its task ends is refused, and removed", arguments: Ending.allCases)
    func completeAtTheEnd(_ ending: Ending) async throws {
        // A reader of this sequence that is canceled finds its end.
        let (parts, input) = AsyncStream<[UInt8]>.makeStream()
        input.yield(Self.part)
        switch try await outcome(of: parts, ending) {
        case .notAwaited(let task): #expect(task.state.isTerminal)
        case .noTask: #expect(ending == .deleted)
        case let other: Issue.record("\(other)")
        }
        withExtendedLifetime(input) {}
    }
}
