import Testing

@testable import SessionCore

@Suite("An event hub", .timeLimit(.minutes(1)))
struct EventHubTests {
    @Test("gives everybody who listens everything from then on, in order, until the end")
    func everybody() async {
        let hub = EventHub<Int>()
        hub.emit(0)
        let first = hub.events()
        hub.emit(1)
        let second = hub.events()
        hub.emit(2)
        hub.finish()
        hub.emit(3)
        #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await second.reduce(into: []) { $0.append($1) } == [2])
        #expect(await hub.events().reduce(into: []) { $0.append($1) } == [])
    }

    @Test("does not even make an event that nobody hears")
    func nobody() {
        let hub = EventHub<Int>()
        var made = 0
        func make() -> Int {
            made += 1
            return made
        }
        hub.emit(make())
        #expect(made == 0)
        #expect(!hub.isHeard)
    }

    @Test("ends with a last word to nobody: who listens does not wait for ever")
    func gone() async throws {
        var hub: EventHub<Int>? = EventHub<Int>()
        let events = try #require(hub?.events())
        hub?.emit(1)
        hub = nil
        #expect(await events.reduce(into: []) { $0.append($1) } == [1])
    }

    @Test("forgets who stopped listening")
    func leaves() async {
        let hub = EventHub<Int>()
        do {
            let events = hub.events()
            #expect(hub.isHeard)
            _ = events
        }
        hub.emit(1)
        #expect(!hub.isHeard)
    }

    @Test("keeps the newest for who falls behind, and no more than so many")
    func slow() async {
        let hub = EventHub<Int>()
        let events = hub.events()
        for number in 1...3000 { hub.emit(number) }
        hub.finish()
        let seen = await events.reduce(into: []) { $0.append($1) }
        #expect(seen == Array(3000 - EventHub<Int>.bufferedEvents + 1...3000))
    }
}
