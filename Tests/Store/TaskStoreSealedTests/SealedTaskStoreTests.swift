import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTaskStoreSealed
import FoundationEssentials
import Glibc
import Testing

@Suite("SealedTaskStore")
struct SealedTaskStoreTests {
    private let folder: SealedStoreFolder

    init() throws {
        folder = try SealedStoreFolder()
    }

    @Test("With keys it passes the checks of every store", arguments: TaskStoreSuite.checks)
    func conformsWithKeys(_ check: TaskStoreCheck) async throws {
        try await folder.sealed(.sample(1), .sample(2)) { try await check.body($0) }
    }

    @Test("Without keys it passes the checks of every store", arguments: TaskStoreSuite.checks)
    func conformsWithoutKeys(_ check: TaskStoreCheck) async throws {
        try await folder.sealed { try await check.body($0) }
    }

    @Test("Files of an open or closed store contain no secrets of tasks and cookies")
    func files() async throws {
        let secrets =
            SecretRecord.secrets
            + ["cookie", "redirect", "schedule", "child", "run", "type"].map { "canary-in-\($0)" }
        func write(_ store: SealedTaskStore) async throws {
            var record = SecretRecord.sample(1)
            try await store.insert(record)
            record.change { $0.revision = 2 }
            var update = TaskUpdate(record, expecting: 1)
            update.hops = [StoredHop(.redirect, SecretRecord.json("redirect"))]
            var child = TaskRecord.sample(2)
            child.change { $0.specification.task = SecretRecord.json("child") }
            update.children = [child]
            #expect(try await store.update(update) == .stored(nil))
            try await store.update(cookies: [.set(.sample("a", value: "canary-in-cookie"))], session: "github")
            var run = TaskRecord.sample(3)
            run.change { $0.specification.task = SecretRecord.json("run") }
            let schedule = ScheduleRecord.sample("nightly", text: "canary-in-schedule")
            #expect(try await store.put(schedule, expecting: nil, inserting: run))
            var typed = SecretRecord.sample(4)
            typed.change {
                $0.result.body = .sample(.inline([]))
                $0.result.body?.contentType = "text/plain; title=canary-in-type"
            }
            try await store.insert(typed)
        }
        try await folder.sealed(.sample(1)) { store async throws in
            try await write(store)
            let found = try folder.found(secrets + ["label-1"])
            #expect(found == ["label-1"])
        }
        let left = try folder.found(secrets)
        #expect(left == [])
        // The check finds the secrets in an unsealed store.
        let plain = try SealedStoreFolder()
        try await plain.sealed { try await write($0) }
        let foundUnsealed = try plain.found(secrets)
        #expect(foundUnsealed == secrets)
    }

    @Test("After a rotation the new key seals, the old one opens, and unsealed data stays readable")
    func rotation() async throws {
        let (old, new) = (try SealingKey.sample(1), try SealingKey.sample(2))
        try await folder.sealed { try await $0.insert(SecretRecord.sample(1)) }
        try await folder.sealed(old) { try await $0.insert(SecretRecord.sample(2)) }
        try await folder.sealed(new, old) { store async throws in
            try await store.insert(SecretRecord.sample(3))
            for number in 1...3 { #expect(try await store.task(.sample(number)) == SecretRecord.sample(number)) }
            var record = try #require(try await store.task(.sample(1)))
            record.change { $0.revision = 2 }
            #expect(try await store.update(record, expecting: 1))
            let page = try await store.tasks(TaskQuery())
            #expect(page.tasks.map(\.specification) == [3, 2, 1].map { SecretRecord.sample($0).listed.specification })
        }
        try await folder.raw { store async throws in
            let records = try await [1, 2, 3].asyncMap { try #require(try await store.task(.sample($0))) }
            #expect(records.map { SealedForm.keyID(of: $0.specification.task) } == [nil, old.id, new.id])
            #expect(records.map { SealedForm.keyID(of: $0.result.attempts) } == [new.id, old.id, new.id])
        }
    }

    @Test("A task with a missing key fails alone and names the key; with the key it is readable again")
    func missingKey() async throws {
        let (old, new) = (try SealingKey.sample(1), try SealingKey.sample(2))
        try await folder.sealed(old) { store async throws in
            try await store.insert(SecretRecord.sample(1))
            try await store.insert(SecretRecord.sample(2, state: .running))
        }
        try await folder.sealed(new) { store async throws in
            try await store.insert(SecretRecord.sample(3))
            try await store.insert(SecretRecord.sample(4, state: .running))
            let error = await #expect(throws: TaskStoreError.self) { try await store.task(.sample(1)) }
            #expect(error?.code == .sealed)
            #expect(error?.message.contains("\(old.id)") == true)
            #expect(error?.message.contains("store.encryption_keys") == true)
            #expect(error?.session == SecretRecord.sample(1).session)
            #expect(try await store.task(.sample(3)) == SecretRecord.sample(3))
            let page = try await store.tasks(TaskQuery())
            #expect(page.tasks.map(\.id) == [4, 3, 2, 1].map { .sample($0) })
            #expect(page.tasks[1].specification == SecretRecord.sample(3).listed.specification)
            let hidden = page.tasks[3]
            #expect(String(decoding: hidden.specification.request, as: UTF8.self).contains("\(old.id)"))
            #expect(hidden.labels == ["visible": "label-1"])
            #expect(hidden.result == TaskResult())
            // Those that cannot be read are among them.
            #expect(try await store.interrupted(after: nil, limit: 10) == [.sample(2), .sample(4)])
            let missing = try await store.missingKeys()
            #expect(missing.map(\.id) == [old.id])
            #expect(missing.map(\.task) == [.sample(1)])
            #expect(try await store.delete(.sample(2)))
        }
        try await folder.sealed(new, old) { store async throws in
            #expect(try await store.task(.sample(1)) == SecretRecord.sample(1))
            #expect(try await store.task(.sample(2)) == nil)
            #expect(try await store.missingKeys().isEmpty)
        }
    }

    @Test("A damaged task does not hide the keys that are missing")
    func missingKeyBesideDamaged() async throws {
        let key = try SealingKey.sample(1)
        try await folder.sealed(key) { store async throws in
            for number in 1...2 { try await store.insert(SecretRecord.sample(number, state: .running)) }
            try await store.insert(SecretRecord.sample(3))
        }
        try await folder.raw { raw async throws in
            let flaky = FlakyTaskStore(raw)
            flaky.intervene { operation async throws(TaskStoreError) in
                if case .task(let id) = operation, id != .sample(2) { throw TaskStoreError(.corrupt, "Damaged") }
            }
            let missing = try await SealedTaskStore(flaky, keys: SealingKeyring([])).missingKeys()
            #expect(missing.map(\.id) == [key.id])
            #expect(missing.map(\.task) == [.sample(2)])
        }
    }

    @Test("Without any key sealed data is not mistaken for text")
    func noKeys() async throws {
        let key = try SealingKey.sample(1)
        try await folder.sealed(key) { store async throws in
            try await store.insert(SecretRecord.sample(1))
            try await store.update(cookies: [.set(.sample("a"))], session: "github")
        }
        try await folder.sealed { store async throws in
            let error = await #expect(throws: TaskStoreError.self) { try await store.task(.sample(1)) }
            #expect(error?.code == .sealed)
            let ofCookie = await #expect(throws: TaskStoreError.self) { try await store.cookies(session: "github") }
            #expect(ofCookie?.code == .sealed)
            #expect(try await store.missingKeys().map(\.id) == [key.id])
        }
    }

    @Test("Only unfinished tasks are examined for missing keys")
    func missingKeyOfFinished() async throws {
        try await folder.sealed(.sample(1)) { store async throws in
            for (number, state) in TaskState.allCases.enumerated() where state.isTerminal {
                try await store.insert(.sample(number, state: state))
            }
        }
        try await folder.sealed(.sample(2)) { store async throws in #expect(try await store.missingKeys().isEmpty) }
    }

    @Test("Documents that were modified, or moved to another task or column, are detected")
    func moved() async throws {
        let key = try SealingKey.sample(1)
        try await folder.sealed(key) { try await $0.insert(SecretRecord.sample(1)) }
        let written = try await folder.raw { store async throws in
            let written = try #require(try await store.task(.sample(1)))
            var other = SecretRecord.sample(2)
            other.change { $0.specification = written.specification }
            try await store.insert(other)
            var swapped = SecretRecord.sample(1)
            swapped.change {
                $0.revision = 2
                $0.result.attempts = written.result.error ?? []
            }
            #expect(try await store.update(swapped, expecting: 1))
            return written
        }
        try await folder.sealed(key) { store async throws in
            for number in [1, 2] {
                let error = await #expect(throws: TaskStoreError.self) { try await store.task(.sample(number)) }
                #expect(error?.code == .corrupt)
            }
        }
        try await folder.raw { store async throws in
            for index in written.specification.task.indices {
                var record = TaskRecord.sample(100 + index)
                record.change {
                    $0.id = .sample(1)
                    $0.specification = written.specification
                }
                record.change { $0.specification.task[index] ^= 1 }
                #expect(try await store.delete(.sample(1)))
                try await store.insert(record)
                let sealed = SealedTaskStore(store, keys: SealingKeyring([key]))
                let read = await Result { try await sealed.task(.sample(1)) }
                // A change within the first three bytes makes it neither a sealed document nor JSON.
                #expect((try? read.get())??.specification.task != SecretRecord.sample(1).specification.task)
                if index >= 3 { #expect(throws: TaskStoreError.self) { try read.get() } }
            }
        }
    }

    @Test("A media type is sealed for its task, not shown without the key, and readable if a former version stored it")
    func bodyTypes() async throws {
        func typed(_ number: Int) -> TaskRecord {
            var record = SecretRecord.sample(number)
            record.change { $0.result.body = .sample(.inline([])) }
            return record
        }
        try await folder.raw { try await $0.insert(typed(1)) }
        try await folder.sealed(.sample(1)) { store async throws in
            try await store.insert(typed(2))
            for number in 1...2 { #expect(try await store.task(.sample(number)) == typed(number)) }
        }
        try await folder.sealed(.sample(2)) { store async throws in
            let page = try await store.tasks(TaskQuery())
            #expect(page.tasks.map { $0.result.body?.contentType } == [nil, "application/json"])
        }
        try await folder.raw { store async throws in
            let sealed = try #require(try await store.task(.sample(2)))
            var other = typed(3)
            other.change { $0.result.body?.contentType = sealed.result.body?.contentType }
            try await store.insert(other)
        }
        try await folder.sealed(.sample(1)) { store async throws in
            let error = await #expect(throws: TaskStoreError.self) { try await store.task(.sample(3)) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test("The value of a cookie is sealed for its session and its name")
    func cookies() async throws {
        let key = try SealingKey.sample(1)
        try await folder.sealed(key) { store async throws in
            try await store.update(cookies: [.set(.sample("a", value: "canary \u{e9}"))], session: "one")
        }
        try await folder.raw { store async throws in
            var cookie = try #require(try await store.cookies(session: "one").first)
            #expect(!cookie.value.contains("canary"))
            try await store.update(cookies: [.set(cookie)], session: "two")
            cookie.key.name = "b"
            try await store.update(cookies: [.set(cookie)], session: "three")
            cookie.key.name = "a"
            cookie.value = String(cookie.value.dropLast(8))
            try await store.update(cookies: [.set(cookie)], session: "four")
            cookie.value = "\u{0}no sealed bytes"
            try await store.update(cookies: [.set(cookie)], session: "five")
        }
        try await folder.sealed(key) { store async throws in
            #expect(try await store.cookies(session: "one") == [.sample("a", value: "canary \u{e9}")])
            for session in ["two", "three", "four", "five"] {
                let error = await #expect(throws: TaskStoreError.self) { try await store.cookies(session: session) }
                #expect(error?.code == .corrupt, "\(session)")
            }
            try await store.update(cookies: [.remove(StoredCookie.sample("a").key)], session: "two")
            #expect(try await store.cookies(session: "two").isEmpty)
        }
    }

    @Test("Events and schedules with a missing key are returned with the reason instead of their documents")
    func missingKeyOfOthers() async throws {
        let (old, new) = (try SealingKey.sample(1), try SealingKey.sample(2))
        let schedules = ["a", "b"].map { ScheduleRecord.sample($0) }
        func redirect(_ number: Int, _ store: SealedTaskStore) async throws {
            var record = TaskRecord.sample(number)
            try await store.insert(record)
            record.change { $0.revision = 2 }
            var update = TaskUpdate(record, expecting: 1)
            update.hops = [StoredHop(.challenge, SecretRecord.json("\(number)"))]
            #expect(try await store.update(update) == .stored(nil))
        }
        try await folder.sealed(old) { store async throws in
            try await redirect(1, store)
            #expect(try await store.put(schedules[0], expecting: nil, inserting: nil))
        }
        try await folder.sealed(new) { store async throws in
            let told = Mutex<[StoredEvent]>([])
            store.observeEvents { events in told.withLock { $0 += events } }
            try await redirect(2, store)
            #expect(told.withLock { $0.last }?.detail == SecretRecord.json("2"))
            #expect(try await store.put(schedules[1], expecting: nil, inserting: nil))
            let details = try await store.events(after: 0, task: nil, limit: 10).compactMap(\.detail)
            #expect(details.count == 2)
            #expect(String(decoding: details[0], as: UTF8.self).contains("\(old.id)"))
            #expect(details[1] == SecretRecord.json("2"))
            let found = try await store.schedules()
            #expect(String(decoding: found[0].definition, as: UTF8.self).contains("\(old.id)"))
            #expect(found[1] == schedules[1])
        }
        try await folder.sealed(new, old) { store async throws in
            #expect(try await store.schedules() == schedules)
            #expect(
                try await store.events(after: 0, task: nil, limit: 10).compactMap(\.detail)
                    == [SecretRecord.json("1"), SecretRecord.json("2")])
        }
    }

    @Test("Tasks of a batch that cannot be sealed are refused, and such changes and runs are not stored")
    func noRandomnessInBatch() async throws {
        try await folder.raw { base async throws in
            try await base.insert(.sample(1))
            let calls = Mutex(0)
            // The first task has two documents, each sealed with its own random bytes.
            let store = SealedTaskStore(
                base,
                keys: SealingKeyring([try .sample(1)]) { count in
                    calls.withLock { calls in
                        calls += 1
                        return calls <= 2 ? [UInt8](repeating: UInt8(calls), count: count) : nil
                    }
                })
            let results = await store.insert([NewTask(.sample(2)), NewTask(.sample(3))])
            #expect((try? results[0].get()) == .inserted(isBlocked: false))
            #expect(throws: TaskStoreError.self) { try results[1].get() }
            var update = TaskUpdate(.sample(1, state: .failed), expecting: 1)
            update.children = [.sample(4)]
            await #expect(throws: TaskStoreError.self) { try await store.update(update) }
            await #expect(throws: TaskStoreError.self) {
                try await store.put(.sample("nightly"), expecting: nil, inserting: .sample(5))
            }
            #expect(try await base.counts().total == 2)
            #expect(try await base.schedules().isEmpty)
        }
    }

    @Test("Nothing is stored when it cannot be sealed")
    func noRandomness() async throws {
        try await folder.raw { base async throws in
            let store = SealedTaskStore(base, keys: SealingKeyring([try .sample(1)]) { _ in nil })
            let error = await #expect(throws: TaskStoreError.self) { try await store.insert(SecretRecord.sample(1)) }
            #expect(error?.code == .unexpected)
            await #expect(throws: TaskStoreError.self) {
                try await store.update(cookies: [.set(.sample("a"))], session: "one")
            }
            #expect(try await base.counts().total == 0)
            #expect(try await base.cookies(session: "one").isEmpty)
        }
    }

    @Test("Filters that look into sealed documents are refused, instead of finding nothing")
    func documentFilters() async throws {
        try await folder.sealed(.sample(1)) { store async throws in
            try await store.insert(SecretRecord.sample(1))
            var queries = [TaskQuery](repeating: TaskQuery(), count: 3)
            queries[0].errorCode = "timed_out"
            queries[1].statuses = 500...599
            queries[2].method = "GET"
            for query in queries {
                let list = await #expect(throws: TaskStoreError.self) { try await store.tasks(query) }
                #expect(list?.code == .unsearchable)
                let bulk = await #expect(throws: TaskStoreError.self) { try await store.identifiers(query) }
                #expect(bulk?.code == .unsearchable)
                let counts = await #expect(throws: TaskStoreError.self) { try await store.counts(matching: query) }
                #expect(counts?.code == .unsearchable)
            }
            #expect(try await store.identifiers(TaskQuery()).count == 1)
        }
    }

    @Test("Every acknowledged task can be opened after the process was killed")
    func killed() async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            endInTime()
            let base = try SQLiteTaskStore(path: "\(path)/tasks.db", durability: .normal, readTimeout: .seconds(86_400))
            let store = SealedTaskStore(base, keys: SealingKeyring([try .sample(1)]))
            let journal = open("\(path)/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0... {
                            let record = SecretRecord.sample(writer * 10_000 + number)
                            try await store.insert(record)
                            let line = Array("\(record.id)\n".utf8)
                            guard write(journal, line, line.count) == line.count else { return }
                            if writer == 0, number == 200 { kill(getpid(), SIGKILL) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let acknowledged = try String(contentsOf: URL(filePath: "\(path)/acknowledged"), encoding: .utf8)
            .split(separator: "\n").compactMap { TaskID(String($0)) }
        #expect(acknowledged.count > 200)
        try await folder.sealed(.sample(1)) { store async throws in
            for id in acknowledged {
                let specification = try await store.task(id)?.specification
                #expect(specification?.task == SecretRecord.sample(0).specification.task)
            }
        }
    }
}

extension Result where Failure == any Error {
    /// Captures the result or the error of an asynchronous function.
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

extension Array {
    /// Transforms each element in sequence.
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
