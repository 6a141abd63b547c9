import ErrandTaskStore
import ErrandTime
import Testing

extension TaskStoreSuite {
    static let cookies: [TaskStoreCheck] = [
        TaskStoreCheck("reads back the cookies of a session as they were set, in a stable order") { store in
            var odd = StoredCookie.sample(
                "\u{0}é", domain: "127.0.0.1", isHostOnly: true, path: "/a b", value: "\"\u{0}ü\"")
            odd.isSecure = false
            odd.isHTTPOnly = true
            odd.creationOrder = .min
            odd.lastAccessAt = .earliest
            let cookies = [
                odd, .sample("a"), .sample("b", value: "", expiresAt: .latest), .sample("a", isHostOnly: true),
                .sample("a", path: "/deep", expiresAt: Timestamp(milliseconds: -1)),
                .sample("a", domain: "example.org"),
            ]
            try await store.update(cookies: cookies.map { .set($0) }, session: "github")
            let first = try await store.cookies(session: "github")
            #expect(first.count == cookies.count)
            #expect(Set(first) == Set(cookies))
            try await store.update(cookies: cookies.reversed().map { .set($0) }, session: "github")
            #expect(try await store.cookies(session: "github") == first)
        },
        TaskStoreCheck("separates the cookies of sessions, and host-only cookies from domain cookies") { store in
            try await store.update(cookies: [.set(.sample("a", value: "1"))], session: "one")
            try await store.update(cookies: [.set(.sample("a", value: "2"))], session: "two")
            try await store.update(cookies: [.remove(StoredCookie.sample("a").key)], session: "three")
            try await store.update(cookies: [.remove(StoredCookie.sample("a", isHostOnly: true).key)], session: "two")
            #expect(try await store.cookies(session: "one") == [.sample("a", value: "1")])
            #expect(try await store.cookies(session: "two") == [.sample("a", value: "2")])
            #expect(try await store.cookies(session: "three").isEmpty)
        },
        TaskStoreCheck("tells the sessions that have cookies, sorted by name") { store in
            #expect(try await store.sessionsWithCookies().isEmpty)
            for session in ["two", "one"] {
                try await store.update(cookies: [.set(.sample("a")), .set(.sample("b"))], session: session)
            }
            try await store.update(cookies: [.remove(StoredCookie.sample("a").key)], session: "two")
            #expect(try await store.sessionsWithCookies() == ["one", "two"])
            try await store.update(cookies: [.remove(StoredCookie.sample("b").key)], session: "two")
            #expect(try await store.sessionsWithCookies() == ["one"])
        },
        TaskStoreCheck("applies changes of cookies in order, within a call and between calls") { store in
            let key = StoredCookie.sample("a").key
            try await store.update(
                cookies: [.set(.sample("a", value: "1")), .remove(key), .set(.sample("a", value: "2"))], session: "s")
            #expect(try await store.cookies(session: "s") == [.sample("a", value: "2")])
            try await store.update(cookies: [.set(.sample("a", value: "3", expiresAt: .latest))], session: "s")
            #expect(try await store.cookies(session: "s") == [.sample("a", value: "3", expiresAt: .latest)])
            try await store.update(cookies: [.set(.sample("a", value: "4")), .remove(key)], session: "s")
            #expect(try await store.cookies(session: "s").isEmpty)
            try await store.update(cookies: [], session: "s")
            #expect(try await store.cookies(session: "s").isEmpty)
        },
    ]
}
