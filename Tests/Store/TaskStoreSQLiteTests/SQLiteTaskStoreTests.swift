import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Glibc
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("SQLiteTaskStore")
struct SQLiteTaskStoreTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test(
        "The SQLite store passes the checks of every store, and those of a store that is no wrapper",
        arguments: TaskStoreSuite.checks + TaskStoreSuite.exhaustiveChecks)
    func conforms(_ check: TaskStoreCheck) async throws {
        let store = try folder.open()
        do {
            try await check.body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    @Test("The tables of many sessions have more walks than one statement merges")
    func manySessions() {
        // Those in Tests/Support have 68 to 369.
        #expect(SessionListQuery.maxMerged < 68)
    }

    @Test("The removal of large tasks adds little to the write-ahead log")
    func removalOfLargeTasks() async throws {
        let first = try folder.open()
        var ids: [TaskID] = []
        for number in 0..<8 {
            var record = TaskRecord.sample(number, state: .succeeded)
            record.change { $0.specification.task = [UInt8](repeating: 0x20, count: 1 << 20) }
            try await first.insert(record)
            ids.append(record.id)
        }
        await first.close()
        let second = try folder.open()
        for id in ids { #expect(try await second.delete(id, because: .retention)) }
        #expect(try #require(fileSize(folder.path + "-wal")) < 1 << 20)
        await second.close()
    }

    @Test("Tasks and their counts survive closing and opening the store", arguments: Durability.allCases)
    func reopen(durability: Durability) async throws {
        var records: [TaskRecord] = []
        let first = try folder.open(durability)
        for (number, state) in TaskState.allCases.enumerated() {
            var record = TaskRecord.sample(number, state: state, labels: ["n": "\(number)"])
            record.change { $0.result = TaskResult.samples[number % TaskResult.samples.count] }
            try await first.insert(record)
            records.append(record)
        }
        for (number, state) in [(30, TaskState.queued), (31, .waiting), (32, .failed)] {
            let record = TaskRecord.sample(number, session: "hooks", kind: .callback, state: state)
            try await first.insert(record)
            records.append(record)
        }
        try await first.insert(.standingStill(20))
        records.append(.standingStill(20))
        let controlState = SessionControlState(name: "github", isSuspended: true)
        try await first.setSessionControlState(controlState)
        try await first.update(cookies: [.set(.sample("a"))], session: "github")
        let counts = try await first.counts()
        #expect(counts.pendingCallbacks("hooks") == 2)
        await first.close()
        #expect(!folder.exists("-wal"))
        let second = try folder.open(durability)
        for record in records { #expect(try await second.task(record.id) == record) }
        #expect(try await second.counts() == counts)
        let interrupted = records.filter { $0.hasOpenAttempt }.map(\.id)
        #expect(interrupted.count == 3)
        #expect(try await second.interrupted(after: nil, limit: 10) == interrupted)
        #expect(try await second.sessionControlStates() == [controlState])
        #expect(try await second.cookies(session: "github") == [.sample("a")])
        await second.close()
    }

    @Test("A close leaves a long log as it is, and the next start moves it into the database", .timeLimit(.hang))
    func longLog() async throws {
        let first = try folder.open()
        let begun = Signal<Void>()
        let held = HeldQueue()
        // Checkpoints move nothing beyond its snapshot.
        let reader = Task { () -> Int? in
            do throws(TaskStoreError) {
                return try await first.records.read { db in
                    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks")
                    begun.send()
                    held.wait()
                    return count
                }
            } catch {
                return nil
            }
        }
        await begun.wait()
        for number in 0..<36 {
            var record = TaskRecord.sample(number)
            record.change { $0.specification.task = [UInt8](repeating: 0x20, count: 1 << 20) }
            try await first.insert(record)
        }
        let closing = Task { await first.close() }
        // Lists are refused when no checkpoint begins any more.
        try await until {
            do throws(TaskStoreError) {
                return try await first.lists.read { _ in false }
            } catch {
                return error.code == .closed
            }
        }
        held.release()
        await closing.value
        #expect(await reader.value == 0)
        #expect(try #require(fileSize(folder.path + "-wal")) > 32 << 20)
        #expect(try #require(fileSize(folder.path)) < 1 << 20)

        let second = try folder.open()
        #expect(try #require(fileSize(folder.path)) > 32 << 20)
        #expect(try await second.counts()[.queued] == 36)
        for number in 0..<36 {
            let task = try await second.task(.sample(number))
            #expect(task?.specification.task.count == 1 << 20)
        }
        await second.close()
        #expect(!folder.exists("-wal"))
    }

    @Test(
        "Tasks are counted again by state and kind when a store is opened",
        arguments: [(pending: 2, ended: 5, others: 0), (pending: 2, ended: 1, others: 9), (0, 3, 3), (0, 0, 2)])
    func countedAgain(pending: Int, ended: Int, others: Int) async throws {
        let first = try folder.open()
        let states = Array(repeating: TaskState.queued, count: pending) + Array(repeating: .failed, count: ended)
        for (number, state) in states.enumerated() {
            try await first.insert(.sample(number, session: "hooks", kind: .callback, state: state))
        }
        for number in 0..<others { try await first.insert(.sample(100 + number, session: "hooks")) }
        let counts = try await first.counts()
        #expect(counts.pendingCallbacks("hooks") == pending)
        await first.close()
        let second = try folder.open()
        #expect(try await second.counts() == counts)
        #expect(try await second.counts().pendingCallbacks("hooks") == pending)
        await second.close()
    }

    @Test("Turns, keys, events and schedules outlive the process, and event numbers are not reused")
    func reopenDispatch() async throws {
        let first = try folder.open()
        for number in 1...3 { _ = try await first.insert(NewTask(.keyed(number), idempotency: .sample("\(number)"))) }
        var redirected = TaskRecord.keyed(1, state: .running)
        redirected.change { $0.revision = 2 }
        var update = TaskUpdate(redirected, expecting: 1)
        update.hops = [StoredHop(.redirect, Array("{}".utf8))]
        #expect(try await first.update(update) == .stored(nil))
        #expect(try await first.put(.sample("nightly"), expecting: nil, inserting: nil))
        let events = try await first.events(after: 0, task: nil, limit: 100)
        await first.close()

        let second = try folder.open()
        #expect(try await second.events(after: 0, task: nil, limit: 100) == events)
        let gap: Int64 = 1 << 20
        #expect(try await second.eventBounds() == EventBounds(forgotten: 0, newest: 5, omitted: 6..<5 + gap))
        #expect(try await second.schedules() == [.sample("nightly")])
        #expect(try await second.insert(NewTask(.sample(9), idempotency: .sample("2"))) == .replayed(.sample(2)))
        #expect(try await second.insert(NewTask(.keyed(4))) == .inserted(isBlocked: true))
        // The newest events are deleted, except for their number.
        for number in 1...4 {
            let deletion = try await second.delete(.sample(number), at: .earliest, because: .client)
            #expect(deletion?.release?.position.id == (number < 4 ? .sample(number + 1) : nil))
        }
        #expect(try await !second.forget(keysExpiredAt: .earliest, deletionsBefore: .latest, limit: 100))
        let newest = gap + 9
        #expect(
            try await second.eventBounds() == EventBounds(forgotten: newest, newest: newest, omitted: 6..<5 + gap))
        await second.close()

        let third = try folder.open()
        let bounds = try await third.eventBounds()
        #expect(bounds == EventBounds(forgotten: newest, newest: newest, omitted: newest + 1..<newest + gap))
        try await third.insert(.sample(1))
        #expect(try await third.events(after: 0, task: nil, limit: 100).map(\.id) == [newest + gap])
        await third.close()
    }

    @Test("A store that has lost its newest events gives their numbers to no others, and does not know them")
    func lostEvents() async throws {
        let time = Timestamp(milliseconds: 1_800_000_000_000)
        let first = try folder.open(openedAt: time)
        try await first.insert(.sample(1))
        await first.close()
        let backup = try Data(contentsOf: URL(filePath: folder.path))
        let second = try folder.open(openedAt: time.adding(.seconds(60)))
        for number in 2...3 { try await second.insert(.sample(number)) }
        let told = try await second.events(after: 0, task: nil, limit: 10).map(\.id)
        #expect(told.count == 3)
        await second.close()

        try backup.write(to: URL(filePath: folder.path))
        let third = try folder.open(openedAt: time.adding(.seconds(120)))
        #expect(try await third.eventBounds().newest == told[0])
        try await third.insert(.sample(4))
        let kept = try await third.events(after: 0, task: nil, limit: 10).map(\.id)
        #expect(kept.first == told[0])
        let new = try #require(kept.last)
        #expect(new > told[2])
        let range = try await third.eventBounds()
        #expect([0, told[0], new].allSatisfy { range.knows($0) })
        #expect([told[1], told[2], new - 1, new + 1].allSatisfy { !range.knows($0) })
        await third.close()
    }

    @Test("The folder is created, and the files are accessible to the owner only")
    func permissions() async throws {
        let path = folder.path + "-folder/below/tasks.db"
        let store = try SQLiteTaskStore(path: path, durability: .normal)
        try await store.insert(.sample(1))
        for suffix in ["", "-wal", "-shm", ".lock"] {
            var status = stat()
            try #require(stat(path + suffix, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
        }
        await store.close()
        try FileManager.default.removeItem(atPath: folder.path + "-folder")
    }

    @Test("A second gateway is refused with the number of the first process, and accepted after it ends")
    func lock() async throws {
        let first = try folder.open()
        let error = #expect(throws: TaskStoreError.self) { try folder.open() }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("process \(getpid())") == true)
        await first.close()
        try await folder.open().close()
    }

    @Test("A foreign database is refused and not changed")
    func foreign() throws {
        try folder.plain { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        let before = try Data(contentsOf: URL(filePath: folder.path))
        let error = #expect(throws: TaskStoreError.self) { try folder.open() }
        #expect(error?.code == .foreign)
        #expect(try Data(contentsOf: URL(filePath: folder.path)) == before)
    }

    @Test("A file that is not a database is refused and not changed")
    func noDatabase() throws {
        let text = Data("This is a text of more than sixteen bytes.".utf8)
        try text.write(to: URL(filePath: folder.path))
        let error = #expect(throws: TaskStoreError.self) { try folder.open() }
        #expect(error?.code == .foreign)
        #expect(try Data(contentsOf: URL(filePath: folder.path)) == text)
    }

    @Test("A store of a newer version is refused")
    func newer() async throws {
        try await folder.open().close()
        try folder.plain { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999')") }
        let error = #expect(throws: TaskStoreError.self) { try folder.open() }
        #expect(error?.code == .tooNew)
    }

    @Test("A folder that cannot be created is an error without a path")
    func noFolder() throws {
        try Data().write(to: URL(filePath: folder.path))
        let error = #expect(throws: TaskStoreError.self) {
            try SQLiteTaskStore(path: folder.path + "/below/tasks.db", durability: .normal)
        }
        #expect(error.map { "\($0)".contains("below") } == false)
        #expect(error.map { String(reflecting: $0).contains("below") } == true)
    }

    @Test(
        "With full durability a commit is synced before it is acknowledged",
        arguments: [
            (Durability.full, 2), (.normal, 1),
        ])
    func synchronous(durability: Durability, level: Int) throws {
        let opening = StoreOpening(path: folder.path, durability: durability)
        let lock = try opening.lock()
        let writer = try opening.writer()
        #expect(try writer.inDatabase { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == level)
        #expect(try writer.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        #expect(try writer.inDatabase { try Int.fetchOne($0, sql: "PRAGMA wal_autocheckpoint") } == 0)
        try writer.close()
        _ = consume lock
    }
}
