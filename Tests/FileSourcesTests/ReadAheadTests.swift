import Locking
import Support
import Testing
import Transfer

@testable import FileSources

@Suite("The read-ahead of a file")
struct ReadAheadTests {
    private static let chunk = ReadAhead.chunkBytes
    private let resumes = EventLog<Void>()

    /// Does a read as a file of zeros would.
    private func done(_ order: ReadAhead.Order, count: Int? = nil) -> ReadAhead.Order {
        var order = order
        order.buffer = [UInt8](repeating: 0, count: count ?? order.count)
        return order
    }

    /// Reads from a subject and says how many bytes came.
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

    @Test("reads two chunks, one after the other, and the next when one of them was given")
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

    @Test("pauses while nothing is there, and resumes once when something is")
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

    @Test("resumes nobody who was not told to pause")
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

    @Test("fails when a read brings too little, and stays failed until it is begun again")
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
            #expect(error.message == "The file has become shorter while it was sent")
        }
        #expect(subject.rewind() == nil)
        #expect(subject.begin {}?.offset == 0)
    }

    @Test("fails when a read fails, dropping what was read before")
    func failing() throws {
        var (subject, first) = try begun(2 * Self.chunk)
        let second = try #require(subject.complete(done(first)).next)
        #expect(subject.fail(second, TransferError(.transportError, "Broken")) == nil)
        guard case (.failed(TransferError(.transportError, "Broken")), 0, nil) = read(&subject, 1) else {
            Issue.record("It fails")
            return
        }
    }

    @Test("takes nothing from a read that was ordered before a rewind, an end or another beginning")
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

    @Test("goes on where it was when it is begun again without a rewind")
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

    @Test("gives nothing before it is begun and after its end")
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

/// Whether two results of a read are both nothing, which is all that a test asks.
private func == (
    one: (next: ReadAhead.Order?, resume: (@Sendable () -> Void)?), other: (Void?, Void?)
) -> Bool {
    one.next == nil && one.resume == nil && other.0 == nil && other.1 == nil
}
