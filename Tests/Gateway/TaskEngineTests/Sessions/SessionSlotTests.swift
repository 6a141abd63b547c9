import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("SessionSlot")
struct SessionSlotTests {
    @Test("An attempt uses the generation that is current when it begins")
    func inForce() {
        var slot = SessionSlot(name: "up", "first")
        let before = slot.begin()
        _ = slot.replace(with: "second")
        let after = slot.begin()
        #expect(before?.generation == "first")
        #expect(after?.generation == "second")
        #expect(slot.current == "second")
    }

    @Test("A generation without attempts ends when it is replaced")
    func unused() {
        var slot = SessionSlot(name: "up", "first")
        let number = slot.beginNumber()
        let ended = slot.end(number)
        #expect(ended == nil, "it is current")
        let former = slot.replace(with: "second")
        #expect(former == "first")
    }

    @Test("A generation with attempts ends with the last of them, once")
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

    @Test("A removed session begins no attempts, completes its last attempt, and may return")
    func gone() {
        var slot = SessionSlot(name: "up", "first")
        let number = slot.beginNumber()
        let former = slot.replace(with: nil)
        #expect(former == nil, "an attempt uses it")
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

    @Test("Operators' changes are kept")
    func controlState() {
        var slot = SessionSlot(name: "up", "first")
        #expect(slot.controlState == SessionControlState(name: "up"))
        let controlState = SessionControlState(name: "up", isSuspended: true, isClosed: true)
        slot.apply(controlState)
        _ = slot.replace(with: "second")
        #expect(slot.controlState == controlState)
    }
}

extension SessionSlot {
    /// Begins an attempt and returns the number to end it with; an unused number if no attempt begins.
    fileprivate mutating func beginNumber() -> Int {
        begin()?.number ?? -1
    }
}
