import ErrandCryptography
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTaskStoreSealed
import Testing

@Suite("SealedTaskStore: sealing schedules and cookies again")
struct SealedTaskStoreSealAgainTests {
    private static let schedule = ScheduleRecord.sample("nightly")
    private static let cookies = ["a", "b"].map { StoredCookie.sample($0, value: "value-\($0)") }

    private let folder: SealedStoreFolder
    private let old: SealingKey
    private let new: SealingKey

    init() throws {
        folder = try SealedStoreFolder()
        old = try .sample(1)
        new = try .sample(2)
    }

    /// Stores a schedule and the cookies of the session `shop`.
    private static func write(to store: SealedTaskStore) async throws {
        #expect(try await store.put(schedule, expecting: nil, inserting: nil))
        try await store.update(cookies: cookies.map { .set($0) }, session: "shop")
    }

    /// Checks that a store has what was written.
    private static func expectAll(in store: SealedTaskStore) async throws {
        #expect(try await store.schedules() == [schedule])
        #expect(try await store.cookies(session: "shop") == cookies)
    }

    @Test("After a start with a new first key, the former one is not needed any more")
    func rotation() async throws {
        try await folder.sealed(old) { try await Self.write(to: $0) }
        try await folder.sealed(new, old) { store async throws in
            let found = try await store.sealAgain()
            #expect(found.map(\.subject) == [.schedule("nightly"), .cookies(session: "shop")])
            #expect(found.map(\.outcome) == [.sealedAgain, .sealedAgain])
            try await Self.expectAll(in: store)
        }
        try await folder.sealed(new) { store async throws in
            #expect(try await store.sealAgain().isEmpty)
            try await Self.expectAll(in: store)
        }
    }

    @Test("Without a need nothing is written, also of what was stored before there was a key")
    func nothing() async throws {
        try await folder.sealed { try await Self.write(to: $0) }
        try await folder.sealed(new) { store async throws in
            #expect(try await store.put(.sample("sealed"), expecting: nil, inserting: nil))
        }
        try await folder.raw { base async throws in
            let flaky = FlakyTaskStore(base)
            flaky.intervene { operation async throws(TaskStoreError) in
                switch operation {
                case .put, .updateCookies: Issue.record("\(operation)")
                default: break
                }
            }
            let store = SealedTaskStore(flaky, keys: SealingKeyring([new, old]))
            #expect(try await store.sealAgain().isEmpty)
        }
    }

    @Test("What needs a missing key is told with the key, and stays as it is until the key is back")
    func missingKey() async throws {
        var configured = ScheduleRecord.sample("configured")
        configured.origin = .configuration
        try await folder.sealed(old) { store async throws in
            try await Self.write(to: store)
            #expect(try await store.put(configured, expecting: nil, inserting: nil))
        }
        let expected: [SealedTaskStore.FormerlySealed.Subject] = [.schedule("nightly"), .cookies(session: "shop")]
        try await folder.sealed(new) { store async throws in
            let found = try await store.sealAgain()
            #expect(found.map(\.subject) == expected, "the configuration replaces its own schedule")
            #expect(found.map(\.outcome) == [.missingKey(old.id), .missingKey(old.id)])
        }
        try await folder.sealed { store async throws in
            #expect(try await store.sealAgain().map(\.outcome) == [.missingKey(old.id), .missingKey(old.id)])
        }
        try await folder.sealed(old) { store async throws in
            #expect(try await store.sealAgain().isEmpty)
            #expect(try await store.schedules() == [configured, Self.schedule])
            #expect(try await store.cookies(session: "shop") == Self.cookies)
        }
    }

    @Test("Cookies whose key is there are sealed again beside those whose key is missing")
    func mixed() async throws {
        let lost = try SealingKey.sample(3)
        for (key, cookie) in zip([lost, old], Self.cookies) {
            try await folder.sealed(key) { store async throws in
                try await store.update(cookies: [.set(cookie)], session: "shop")
            }
        }
        try await folder.sealed(new, old) { store async throws in
            #expect(try await store.sealAgain().map(\.outcome) == [.missingKey(lost.id), .sealedAgain])
        }
        try await folder.sealed(new, lost) { store async throws in
            #expect(try await store.cookies(session: "shop") == Self.cookies)
        }
    }

    @Test("What the store cannot write is told with the error, stays readable, and is sealed again later")
    func writeFailure() async throws {
        let full = TaskStoreError(.diskFull, "The disk is full")
        try await folder.sealed(old) { try await Self.write(to: $0) }
        try await folder.raw { base async throws in
            let flaky = FlakyTaskStore(base)
            flaky.intervene { operation async throws(TaskStoreError) in
                switch operation {
                case .put, .updateCookies: throw full
                default: break
                }
            }
            let store = SealedTaskStore(flaky, keys: SealingKeyring([new, old]))
            #expect(try await store.sealAgain().map(\.outcome) == [.failed(full), .failed(full)])
            try await Self.expectAll(in: store)
            flaky.intervene(nil)
            #expect(try await store.sealAgain().map(\.outcome) == [.sealedAgain, .sealedAgain])
        }
        try await folder.sealed(new) { try await Self.expectAll(in: $0) }
    }

    @Test("Damaged cookies are told, and those of other sessions are sealed again")
    func damaged() async throws {
        try await folder.sealed(old) { try await Self.write(to: $0) }
        try await folder.raw { base async throws in
            // A cookie of another session, which this one's context does not open.
            let moved = try await base.cookies(session: "shop")
            try await base.update(cookies: moved.map { .set($0) }, session: "other")
        }
        try await folder.sealed(new, old) { store async throws in
            let found = try await store.sealAgain()
            let subjects: [SealedTaskStore.FormerlySealed.Subject] = [
                .schedule("nightly"), .cookies(session: "other"), .cookies(session: "shop"),
            ]
            try #require(found.map(\.subject) == subjects)
            guard case .failed(let error) = found[1].outcome else {
                Issue.record("\(found[1])")
                return
            }
            #expect(error.code == .corrupt)
            #expect(found[2].outcome == .sealedAgain)
        }
    }
}
