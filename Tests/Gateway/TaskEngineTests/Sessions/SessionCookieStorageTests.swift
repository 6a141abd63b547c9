import ErrandCookies
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTime
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("SessionCookieStorage")
struct SessionCookieStorageTests {
    private func cookie(_ name: String, expires: Int64?) throws -> Cookie {
        try #require(
            Cookie(
                id: Cookie.ID(name: name, domain: "example.com", isHostOnly: true, path: "/a"), value: "\"v\"",
                expires: expires, isSecure: true, isHTTPOnly: true, creationOrder: 3, lastAccess: 1_700_000_000))
    }

    @Test("Saved cookies are loaded again, with all their attributes")
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

    @Test("Times beyond the valid range are clamped", arguments: [Int64.max, .min, 0, -1])
    func times(expires: Int64) async throws {
        let store = try GatewayFolder().store()
        let storage = SessionCookieStorage(store, session: "up")
        try await storage.save([.set(try cookie("a", expires: expires))])
        let loaded = try #require(try await storage.load().first)
        let limits = Timestamp.earliest.milliseconds / 1000...Timestamp.latest.milliseconds / 1000
        #expect(loaded.expires == min(max(expires, limits.lowerBound), limits.upperBound))
        await store.close()
    }

    @Test("Once detached it stores nothing")
    func detached() async throws {
        let store = try GatewayFolder().store()
        let storage = SessionCookieStorage(store, session: "up")
        storage.detach()
        try await storage.save([.set(try cookie("a", expires: 1_900_000_000))])
        #expect(try await storage.load().isEmpty)
        await store.close()
    }

    @Test("A failure of the store is an error of the storage, with the store's message for the log")
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

    @Test("A stored value that is not a cookie is an error, rather than a missing cookie")
    func corrupt() async throws {
        let store = try GatewayFolder().store()
        try await store.update(cookies: [.set(.sample("a=b"))], session: "up")
        await #expect(throws: CookieStorageError(.corrupt, "The stored cookies cannot be read")) {
            try await SessionCookieStorage(store, session: "up").load()
        }
        await store.close()
    }
}
