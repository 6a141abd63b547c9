import Cookies
import Support
import TaskStore
import TaskStoreSQLite
import Testing

@testable import Gateway

@Suite("SessionCookieStorage")
struct SessionCookieStorageTests {
    private func cookie(_ name: String, expires: Int64?) throws -> Cookie {
        try #require(
            Cookie(
                id: Cookie.ID(name: name, domain: "example.com", isHostOnly: true, path: "/a"), value: "\"v\"",
                expires: expires, isSecure: true, isHTTPOnly: true, creationOrder: 3, lastAccess: 1_700_000_000))
    }

    @Test("What is saved is loaded again, with everything that belongs to it")
    func roundTrip() async throws {
        let store = try GatewayFolder().store()
        let storage = SessionCookieStorage(store, session: "up")
        let cookies = [try cookie("a", expires: 1_900_000_000), try cookie("b", expires: 1_900_000_001)]
        try await storage.save(cookies.map(CookieChange.set))
        #expect(Set(try await storage.load()) == Set(cookies))
        #expect(try await SessionCookieStorage(store, session: "other").load().isEmpty)
        try await storage.save([.removed(cookies[0].id)])
        #expect(try await storage.load() == [cookies[1]])
        await store.close()
    }

    @Test("Times beyond what can be written become the nearest that can", arguments: [Int64.max, .min, 0, -1])
    func times(expires: Int64) async throws {
        let store = try GatewayFolder().store()
        let storage = SessionCookieStorage(store, session: "up")
        try await storage.save([.set(try cookie("a", expires: expires))])
        let loaded = try #require(try await storage.load().first)
        let limits = Timestamp.earliest.milliseconds / 1000...Timestamp.latest.milliseconds / 1000
        #expect(loaded.expires == min(max(expires, limits.lowerBound), limits.upperBound))
        await store.close()
    }

    @Test("After it was detached it keeps nothing more")
    func detached() async throws {
        let store = try GatewayFolder().store()
        let storage = SessionCookieStorage(store, session: "up")
        storage.detach()
        try await storage.save([.set(try cookie("a", expires: 1_900_000_000))])
        #expect(try await storage.load().isEmpty)
        await store.close()
    }

    @Test("A store that fails is an error of the storage, with what it said for the log")
    func failures() async throws {
        let store = FlakyTaskStore(try GatewayFolder().store())
        store.intervene { _ async throws(TaskStoreError) in throw TaskStoreError(.diskFull, "Full", underlying: "13") }
        let storage = SessionCookieStorage(store, session: "up")
        await #expect(throws: CookieStorageError(.readFailed, "Full", underlying: "disk_full: Full (13)")) {
            try await storage.load()
        }
        await #expect(throws: CookieStorageError(.writeFailed, "Full", underlying: "disk_full: Full (13)")) {
            try await storage.save([])
        }
        store.intervene(nil)
        await store.close()
    }

    @Test("What the store holds and is no cookie is an error, not a cookie less")
    func corrupt() async throws {
        let store = try GatewayFolder().store()
        try await store.update(cookies: [.set(.sample("a=b"))], session: "up")
        await #expect(throws: CookieStorageError(.corrupt, "What the store holds are no cookies")) {
            try await SessionCookieStorage(store, session: "up").load()
        }
        await store.close()
    }
}
