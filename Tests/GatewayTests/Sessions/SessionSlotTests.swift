import TaskStore
import Testing

@testable import Gateway

@Suite("SessionSlot")
struct SessionSlotTests {
    @Test("An attempt uses the generation that is in force when it begins")
    func inForce() {
        var slot = SessionSlot(name: "up", "first")
        let before = slot.begin()
        _ = slot.replace(with: "second")
        let after = slot.begin()
        #expect(before?.generation == "first")
        #expect(after?.generation == "second")
        #expect(slot.current == "second")
    }

    @Test("A generation that nobody uses ends when it is replaced")
    func unused() {
        var slot = SessionSlot(name: "up", "first")
        let number = slot.beginNumber()
        let ended = slot.end(number)
        #expect(ended == nil, "it is in force")
        let former = slot.replace(with: "second")
        #expect(former == "first")
    }

    @Test("A generation that is used ends with its last attempt, once")
    func used() {
        var slot = SessionSlot(name: "up", "first")
        let one = slot.beginNumber()
        let other = slot.beginNumber()
        let former = slot.replace(with: "second")
        let third = slot.replace(with: "third")
        let ends = [one, other, other].map { slot.end($0) }
        #expect(former == nil)
        #expect(third == "second")
        #expect(ends == [nil, "first", nil])
        #expect(slot.current == "third")
    }

    @Test("A session that is gone begins nothing, lets its last attempt end, and may come back")
    func gone() {
        var slot = SessionSlot(name: "up", "first")
        let number = slot.beginNumber()
        let former = slot.replace(with: nil)
        #expect(former == nil, "it is used")
        let begun = slot.begin()
        #expect(begun == nil)
        #expect(slot.current == nil)
        let none = slot.replace(with: "second")
        #expect(none == nil)
        let ended = slot.end(number)
        #expect(ended == "first")
        let again = slot.begin()
        #expect(again?.generation == "second")
    }

    @Test("What an operator did is kept")
    func mark() {
        var slot = SessionSlot(name: "up", "first")
        #expect(slot.mark == SessionMark(name: "up"))
        let mark = SessionMark(name: "up", isSuspended: true, isClosed: true)
        slot.apply(mark)
        _ = slot.replace(with: "second")
        #expect(slot.mark == mark)
    }
}

extension SessionSlot {
    /// Begins an attempt: the number to end it by, one that there is not when none begins.
    fileprivate mutating func beginNumber() -> Int {
        begin()?.number ?? -1
    }
}
