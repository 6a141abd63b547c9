import ErrandLocking
import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandFileSources

@Suite("The read-ahead of a file")
struct ReadAheadTests {
    private static let chunk = ReadAhead.chunkBytes
    private let resumes = EventLog<Void>()

    /// Performs a read as for a file of zeros.
    private func done(_ order: ReadAhead.Order, count: Int? = nil) -> ReadAhead.Order {
        var order = order
        order.buffer = [UInt8](repeating: 0, count: count ?? order.count)
        return order
    }

    /// Reads from a subject and returns the number of bytes.
    private func read(
        _ subject: inout ReadAhead, _ maxBytes: Int
    ) -> (answer: SourceAnswer, count: Int, order: ReadAhead.Order?) {
        var result: (SourceAnswer, ReadAhead.Order?) = (.end, nil)
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            var span = OutputRawSpan(buffer: room, initializedCount: 0)
            result = subject.read(into: &span)
            count = span.finalize(for: room)
        }
        return (result.0, bytes.count, result.1)
    }

    private func begun(_ length: Int) throws -> (ReadAhead, ReadAhead.Order) {
        var subject = ReadAhead(length: Int64(length))
        let order = subject.begin { [resumes] in resumes.append() }
        return (subject, try #require(order))
    }

    @Test("reads two chunks, one after the other, and the next when one of them was returned")
    func orders() throws {
        var (subject, first) = try begun(3 * Self.chunk + 5)
        #expect(first.offset == 0)
        #expect(first.count == Self.chunk)
        let second = try #require(subject.complete(done(first)).next)
        #expect(second.offset == Int64(Self.chunk))
        #expect(subject.complete(done(second)).next == nil)
        #expect(read(&subject, Self.chunk - 1).order == nil)
        let third = try #require(read(&subject, 1).order)
        #expect(third.offset == Int64(2 * Self.chunk))
        #expect(third.buffer.capacity >= Self.chunk, "Memory is used again")
        #expect(read(&subject, Self.chunk).order == nil, "One read at a time")
        let fourth = try #require(subject.complete(done(third)).next)
        #expect(fourth.count == 5)
        #expect(subject.complete(done(fourth)).next == nil)
        guard case (.bytes, Self.chunk + 5, nil) = read(&subject, 2 * Self.chunk) else {
            Issue.record("The rest is there")
            return
        }
        guard case (.end, 0, nil) = read(&subject, 1) else {
            Issue.record("There is no more")
            return
        }
    }

    @Test("pauses while no bytes are ready, and resumes once when some are")
    func pauses() throws {
        var (subject, order) = try begun(10)
        for _ in 0..<2 {
            guard case (.pause, 0, nil) = read(&subject, 1) else {
                Issue.record("It pauses")
                return
            }
        }
        let resume = try #require(subject.complete(done(order)).resume)
        resume()
        #expect(resumes.events.count == 1)
        #expect(read(&subject, 10).count == 10)
    }

    @Test("does not resume a transfer that was not paused")
    func noNeedlessResume() throws {
        var (subject, order) = try begun(10)
        #expect(subject.complete(done(order)).resume == nil)
    }

    @Test("of an empty file reads nothing")
    func empty() {
        var subject = ReadAhead(length: 0)
        #expect(subject.begin {} == nil)
        guard case (.end, 0, nil) = read(&subject, 1) else {
            Issue.record("It has ended")
            return
        }
    }

    @Test("fails if a read returns too few bytes, and stays failed until it is restarted")
    func tooShort() throws {
        var (subject, order) = try begun(10)
        _ = read(&subject, 1)
        let (next, resume) = subject.complete(done(order, count: 9))
        #expect(next == nil)
        #expect(resume != nil)
        for _ in 0..<2 {
            guard case (.failed(let error), 0, nil) = read(&subject, 1) else {
                Issue.record("It fails")
                return
            }
            #expect(error.message == "The file became shorter while it was being sent")
        }
        #expect(subject.rewind() == nil)
        #expect(subject.begin {}?.offset == 0)
    }

    @Test("fails if a read fails, dropping the bytes before")
    func failing() throws {
        var (subject, first) = try begun(2 * Self.chunk)
        let second = try #require(subject.complete(done(first)).next)
        #expect(subject.fail(second, TransferError(.transportError, "Broken")) == nil)
        guard case (.failed(TransferError(.transportError, "Broken")), 0, nil) = read(&subject, 1) else {
            Issue.record("It fails")
            return
        }
    }

    @Test("ignores a read that was ordered before a rewind, an end or a restart")
    func staleOrders() throws {
        let changes: [@Sendable (inout ReadAhead) -> ReadAhead.Order?] = [
            { $0.rewind() }, { $0.begin {} },
            {
                $0.end()
                return nil
            },
        ]
        for change in changes {
            var (subject, order) = try begun(10)
            #expect(subject.wants(order))
            let fresh = change(&subject)
            #expect(!subject.wants(order))
            #expect(subject.complete(done(order)) == (nil, nil))
            #expect(subject.fail(order, .canceled) == nil)
            if let fresh {
                #expect(subject.wants(fresh))
                _ = subject.complete(done(fresh))
                #expect(read(&subject, 20).count == 10)
            }
        }
    }

    @Test("continues at its position when it is restarted without a rewind")
    func goesOn() throws {
        var (subject, order) = try begun(10)
        _ = subject.complete(done(order))
        #expect(read(&subject, 4).count == 4)
        subject.end()
        let next = try #require(subject.begin {})
        #expect(next.offset == 4)
        #expect(next.count == 6)
        #expect(subject.rewind()?.offset == 0)
    }

    @Test("returns nothing before its start and after its end")
    func notBegun() throws {
        var (subject, order) = try begun(10)
        _ = subject.complete(done(order))
        subject.end()
        guard case (.failed, 0, nil) = read(&subject, 1) else {
            Issue.record("It was read")
            return
        }
    }
}

/// Returns whether both results of a read are `nil`, which is all that the tests need.
private func == (
    one: (next: ReadAhead.Order?, resume: (@Sendable () -> Void)?), other: (Void?, Void?)
) -> Bool {
    one.next == nil && one.resume == nil && other.0 == nil && other.1 == nil
}
