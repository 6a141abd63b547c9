import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("SessionGenerations")
struct SessionGenerationsTests {
    @Test("An attempt uses the generation that is current when it begins")
    func inForce() {
        var generations = SessionGenerations(name: "up", "first")
        let before = generations.begin()
        _ = generations.replace(with: "second")
        let after = generations.begin()
        #expect(before?.generation == "first")
        #expect(after?.generation == "second")
        #expect(generations.current == "second")
    }

    @Test("A generation without attempts ends when it is replaced")
    func unused() {
        var generations = SessionGenerations(name: "up", "first")
        let number = generations.beginNumber()
        let ended = generations.end(number)
        #expect(ended == nil, "it is current")
        let former = generations.replace(with: "second")
        #expect(former == "first")
    }

    @Test("A generation with attempts ends with the last of them, once")
    func used() {
        var generations = SessionGenerations(name: "up", "first")
        let one = generations.beginNumber()
        let other = generations.beginNumber()
        let former = generations.replace(with: "second")
        let third = generations.replace(with: "third")
        let ends = [one, other, other].map { generations.end($0) }
        #expect(former == nil)
        #expect(third == "second")
        #expect(ends == [nil, "first", nil])
        #expect(generations.current == "third")
    }

    @Test("A removed session begins no attempts, completes its last attempt, and may return")
    func gone() {
        var generations = SessionGenerations(name: "up", "first")
        let number = generations.beginNumber()
        let former = generations.replace(with: nil)
        #expect(former == nil, "an attempt uses it")
        let begun = generations.begin()
        #expect(begun == nil)
        #expect(generations.current == nil)
        let none = generations.replace(with: "second")
        #expect(none == nil)
        let ended = generations.end(number)
        #expect(ended == "first")
        let again = generations.begin()
        #expect(again?.generation == "second")
    }

    @Test("Operators' changes are kept")
    func controlState() {
        var generations = SessionGenerations(name: "up", "first")
        #expect(generations.controlState == SessionControlState(name: "up"))
        let controlState = SessionControlState(name: "up", isSuspended: true, isClosed: true)
        generations.apply(controlState)
        _ = generations.replace(with: "second")
        #expect(generations.controlState == controlState)
    }
}

extension SessionGenerations {
    /// Begins an attempt and returns the number to end it with; an unused number if no attempt begins.
    fileprivate mutating func beginNumber() -> Int {
        begin()?.number ?? -1
    }
}
