import Testing

@testable import ErrandCookies

@Suite("CookieWriteBehind")
struct CookieWriteBehindTests {
    private var machine = CookieWriteBehind()

    @Test("Recorded changes are written in one batch, and then nothing is pending")
    mutating func batch() throws {
        let (a, b) = (try Cookie.sample("a", order: 2), try Cookie.sample("b", order: 1))
        machine.record([.set(a), .set(b)])
        let started = machine.start()
        let batch = try #require(started)
        #expect(batch.changes == [.set(b), .set(a)])
        #expect(machine.lastNeeded == batch.number)
        #expect(machine.start() == nil)
        #expect(machine.finish(succeeded: true) == nil)
        #expect(machine.lastNeeded == nil)
        #expect(machine.start() == nil)
    }

    @Test("Of several changes to a cookie the last is written")
    mutating func coalescing() throws {
        machine.record([.set(try .sample("a", "1")), .set(try .sample("a", "2"))])
        machine.record([.set(try .sample("a", "3"))])
        #expect(machine.start()?.changes == [.set(try .sample("a", "3"))])
    }

    @Test("Changes during a write go into the next batch")
    mutating func next() throws {
        machine.record([.set(try .sample("a"))])
        let started = machine.start()
        let first = try #require(started)
        machine.record([.set(try .sample("b"))])
        machine.record([.set(try .sample("c", order: 1))])
        #expect(machine.lastNeeded == first.number + 1)
        let continued = machine.finish(succeeded: true)
        let second = try #require(continued)
        #expect(second.changes.map(\.id.name) == ["b", "c"])
        #expect(machine.finish(succeeded: true) == nil)
    }

    @Test("The removal of a cookie that the storage does not hold is not written")
    mutating func unknownRemoval() throws {
        let cookie = try Cookie.sample("a")
        machine.record([.set(cookie), .removed(cookie.id)])
        #expect(machine.start() == nil)
        machine.didLoad([cookie.id])
        machine.record([.removed(cookie.id)])
        #expect(machine.start()?.changes == [.removed(cookie.id)])
        #expect(machine.finish(succeeded: true) == nil)
        machine.record([.removed(cookie.id)])
        #expect(machine.lastNeeded == nil)
    }

    @Test("The removal of a cookie that is being written is written after it")
    mutating func removalInFlight() throws {
        let cookie = try Cookie.sample("a")
        machine.record([.set(cookie)])
        _ = machine.start()
        machine.record([.removed(cookie.id)])
        #expect(machine.finish(succeeded: true)?.changes == [.removed(cookie.id)])
    }

    @Test("A session cookie is not written, and removes the stored cookie that it replaces")
    mutating func sessionCookie() throws {
        let cookie = try Cookie.sample("a", expires: nil)
        machine.record([.set(cookie)])
        #expect(machine.lastNeeded == nil)
        machine.didLoad([cookie.id])
        machine.record([.set(cookie)])
        #expect(machine.start()?.changes == [.removed(cookie.id)])
    }

    @Test("A failed change waits for the next change, which takes precedence")
    mutating func failure() throws {
        machine.record([.set(try .sample("a", "1")), .set(try .sample("b", "1", order: 1))])
        _ = machine.start()
        #expect(machine.finish(succeeded: false) == nil)
        #expect(machine.isWaiting)
        machine.record([.set(try .sample("b", "2", order: 1))])
        #expect(machine.start()?.changes == [.set(try .sample("a", "1")), .set(try .sample("b", "2", order: 1))])
    }

    @Test("If more changes came during a failed write, all are written at once")
    mutating func failureWithNews() throws {
        machine.record([.set(try .sample("a", "1"))])
        _ = machine.start()
        machine.record([.set(try .sample("b", order: 1))])
        #expect(machine.finish(succeeded: false)?.changes.map(\.id.name) == ["a", "b"])
    }

    @Test("The removal of a cookie that a failed batch did not write is not written")
    mutating func failedSetThenRemoved() throws {
        let cookie = try Cookie.sample("a")
        machine.record([.set(cookie)])
        _ = machine.start()
        machine.record([.removed(cookie.id)])
        #expect(machine.finish(succeeded: false) == nil)
        #expect(machine.lastNeeded == nil)
    }

    @Test("However long the storage fails, no more changes are pending than the jar holds cookies")
    mutating func bounded() throws {
        for number in 0..<1000 {
            let cookie = try Cookie.sample("n\(number)", order: Int64(number))
            machine.record([.set(cookie)])
            if number > 0 { machine.record([.removed(try Cookie.sample("n\(number - 1)").id)]) }
            let started = machine.start()
            let batch = try #require(started)
            #expect(batch.changes == [.set(cookie)])
            #expect(machine.finish(succeeded: false) == nil)
        }
    }
}
