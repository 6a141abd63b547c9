import ErrandSupport
import Testing

@testable import ErrandSessionCore

@Suite("An event broadcaster", .timeLimit(.hang))
struct EventBroadcasterTests {
    @Test("sends every listener all events from then on, in order, until the end")
    func allListeners() async {
        let broadcaster = EventBroadcaster<Int>()
        broadcaster.emit(0)
        let first = broadcaster.events()
        broadcaster.emit(1)
        let second = broadcaster.events()
        broadcaster.emit(2)
        broadcaster.finish()
        broadcaster.emit(3)
        #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await second.reduce(into: []) { $0.append($1) } == [2])
        #expect(await broadcaster.events().reduce(into: []) { $0.append($1) } == [])
    }

    @Test("does not create an event without listeners")
    func noListeners() {
        let broadcaster = EventBroadcaster<Int>()
        var made = 0
        func make() -> Int {
            made += 1
            return made
        }
        broadcaster.emit(make())
        #expect(made == 0)
        #expect(!broadcaster.isHeard)
    }

    @Test("finishes when released, so that no listener waits forever")
    func gone() async throws {
        var broadcaster: EventBroadcaster<Int>? = EventBroadcaster<Int>()
        let events = try #require(broadcaster?.events())
        broadcaster?.emit(1)
        broadcaster = nil
        #expect(await events.reduce(into: []) { $0.append($1) } == [1])
    }

    @Test("removes a listener that stops listening")
    func leaves() async {
        let broadcaster = EventBroadcaster<Int>()
        do {
            let events = broadcaster.events()
            #expect(broadcaster.isHeard)
            _ = events
        }
        broadcaster.emit(1)
        #expect(!broadcaster.isHeard)
    }

    @Test("retains only the newest events for a slow listener")
    func slow() async {
        let broadcaster = EventBroadcaster<Int>()
        let events = broadcaster.events()
        for number in 1...3000 { broadcaster.emit(number) }
        broadcaster.finish()
        let seen = await events.reduce(into: []) { $0.append($1) }
        #expect(seen == Array(3000 - EventBroadcaster<Int>.bufferedEvents + 1...3000))
    }
}
