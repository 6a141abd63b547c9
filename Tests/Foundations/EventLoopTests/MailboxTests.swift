import ErrandEventLoop
import ErrandSupport
import Testing

@Suite("Mailbox", .timeLimit(.hang))
struct MailboxTests {
    /// A message with its place among those of its sender.
    private struct Letter: Sendable, Hashable {
        var sender: Int
        var number: Int
    }

    /// A client that records the messages that it takes, and may post others while it does.
    private final class Reader: EventLoopClient {
        let letters = EventLog<Letter>()
        private let mailbox: Mailbox<Letter>
        private let onTaking: @Sendable (Letter) -> Void

        init(_ mailbox: Mailbox<Letter>, onTaking: @escaping @Sendable (Letter) -> Void = { _ in }) {
            self.mailbox = mailbox
            self.onTaking = onTaking
        }

        func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
            var taken: [Letter] = []
            mailbox.take(into: &taken)
            for letter in taken {
                onTaking(letter)
                letters.append(letter)
            }
            return -1
        }

        func loopWillEnd() {}
    }

    @Test("wakes a loop that waits, for each message")
    func wakes() async throws {
        let loop = try EventLoop(name: "test")
        let mailbox = Mailbox<Letter>(loop: loop)
        let reader = Reader(mailbox)
        try loop.start(reader)
        for number in 0..<200 {
            #expect(mailbox.post(Letter(sender: 0, number: number)))
            #expect(await reader.letters.first(number + 1).last?.number == number)
        }
        await loop.shutdown()
    }

    @Test("loses no message of many senders, and keeps the order of each")
    func manySenders() async throws {
        let loop = try EventLoop(name: "test")
        let mailbox = Mailbox<Letter>(loop: loop)
        let reader = Reader(mailbox)
        try loop.start(reader)
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for number in 0..<500 { mailbox.post(Letter(sender: sender, number: number)) }
                }
            }
        }
        let letters = await reader.letters.first(4_000)
        for sender in 0..<8 {
            #expect(letters.filter { $0.sender == sender }.map(\.number) == Array(0..<500))
        }
        await loop.shutdown()
    }

    @Test("gives the loop another turn for a message that is posted in a turn")
    func postInTurn() async throws {
        let loop = try EventLoop(name: "test")
        let mailbox = Mailbox<Letter>(loop: loop)
        let reader = Reader(mailbox) { letter in
            if letter.number < 9 { mailbox.post(Letter(sender: 0, number: letter.number + 1)) }
        }
        try loop.start(reader)
        mailbox.post(Letter(sender: 0, number: 0))
        #expect(await reader.letters.first(10).map(\.number) == Array(0..<10))
        await loop.shutdown()
    }

    @Test("has the messages that were posted before the start of the loop")
    func postBeforeStart() async throws {
        let loop = try EventLoop(name: "test")
        let mailbox = Mailbox<Letter>(loop: loop)
        mailbox.post(Letter(sender: 0, number: 0))
        mailbox.post(Letter(sender: 0, number: 1))
        let reader = Reader(mailbox)
        try loop.start(reader)
        #expect(await reader.letters.first(2).map(\.number) == [0, 1])
        await loop.shutdown()
    }

    @Test("returns the messages that were not taken when it is closed, and drops later ones")
    func closing() throws {
        let mailbox = Mailbox<Int>(loop: try EventLoop(name: "test"))
        let first = mailbox.post(1)
        let second = mailbox.post(2)
        #expect(first && second)
        #expect(mailbox.close() == [1, 2])
        #expect(!mailbox.post(3))
        #expect(mailbox.close().isEmpty)
        var taken: [Int] = []
        mailbox.take(into: &taken)
        #expect(taken.isEmpty)
    }
}
