import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("RecentTasks")
struct RecentTasksTests {
    @Test("returns the last written record of each task")
    func latest() {
        let recent = RecentTasks()
        var record = TaskRecord.sample(1)
        recent.put(record)
        record.change {
            $0.state = .running
            $0.revision = 2
        }
        recent.put(record)
        #expect(recent.record(record.id) == record)
        #expect(recent.record(.sample(2)) == nil)
    }

    @Test("evicts the oldest writes when it is full; a task that was written again stays")
    func bounded() {
        let recent = RecentTasks(limitBytes: 4 * 1024)
        var first = TaskRecord.sample(0)
        recent.put(first)
        for number in 1...3 { recent.put(.sample(number)) }
        first.change { $0.revision = 2 }
        recent.put(first)
        var held: Int { (0..<100).count { recent.record(.sample($0)) != nil } }
        var most = held
        for number in 4..<10 {
            recent.put(.sample(number))
            most = max(most, held)
        }
        #expect(recent.record(.sample(9)) != nil)
        #expect(recent.record(.sample(1)) == nil)
        #expect(most < 10)
        for number in 10..<100 { recent.put(.sample(number)) }
        #expect(recent.record(first.id) == nil)
        #expect(held <= most)
    }

    @Test("counts the labels of a task")
    func labels() {
        let recent = RecentTasks(limitBytes: 1 << 20)
        for number in 0..<200 {
            var record = TaskRecord.sample(number)
            record.change { record in
                for label in 0..<64 { record.labels["label-\(label)"] = String(repeating: "x", count: 256) }
            }
            recent.put(record)
        }
        #expect((20...64).contains((0..<200).count { recent.record(.sample($0)) != nil }))
    }

    @Test("renders the document of a revision once, and again for another revision or after an eviction")
    func documents() {
        let recent = RecentTasks(limitBytes: 64 * 1024)
        var record = TaskRecord.sample(1)
        recent.put(record)
        func document(_ text: String) -> [UInt8] { recent.document(of: record) { Array(text.utf8) } }
        #expect(document("first") == Array("first".utf8))
        #expect(document("again") == Array("first".utf8))
        record.change { $0.revision = 2 }
        // Not written yet: the cached record is another one.
        #expect(document("second") == Array("second".utf8))
        #expect(document("third") == Array("third".utf8))
        recent.put(record)
        #expect(document("fourth") == Array("fourth".utf8))
        #expect(document("again") == Array("fourth".utf8))
        recent.remove(record.id)
        #expect(document("fifth") == Array("fifth".utf8))
        #expect(recent.record(record.id) == nil)
    }

    @Test("counts documents: a large one evicts other tasks, and its own if it exceeds the limit")
    func largeDocuments() {
        let recent = RecentTasks(limitBytes: 64 * 1024)
        for number in 0..<10 { recent.put(.sample(number)) }
        let large = [UInt8](repeating: 0, count: 60 * 1024)
        #expect(recent.document(of: .sample(9)) { large } == large)
        #expect(recent.record(.sample(9)) != nil)
        #expect(recent.record(.sample(0)) == nil)
        recent.remove(.sample(9))
        for number in 10..<20 { recent.put(.sample(number)) }
        #expect(recent.record(.sample(10)) != nil)
        #expect(recent.document(of: .sample(19)) { large + large } == large + large)
        #expect(recent.record(.sample(19)) == nil)
    }

    @Test("counts content: one large response evicts many tasks, and itself if it exceeds the limit")
    func large() {
        let recent = RecentTasks(limitBytes: 64 * 1024)
        for number in 0..<10 { recent.put(.sample(number)) }
        var large = TaskRecord.sample(10)
        large.change { $0.result.body = .sample(.inline([UInt8](repeating: 0, count: 63 * 1024))) }
        recent.put(large)
        #expect(recent.record(large.id) == large)
        #expect(recent.record(.sample(0)) == nil)
        large.change {
            $0.revision = 2
            $0.result.body = .sample(.inline([UInt8](repeating: 0, count: 65 * 1024)))
        }
        recent.put(large)
        #expect(recent.record(large.id) == nil)
        recent.put(.sample(11))
        #expect(recent.record(.sample(11)) != nil)
    }

    @Test("forgets a deleted task")
    func removed() {
        let recent = RecentTasks()
        recent.put(.sample(1))
        recent.remove(.sample(1))
        recent.remove(.sample(2))
        #expect(recent.record(.sample(1)) == nil)
    }
    @Test("limits the order of writes, however often tasks are written and deleted behind one that stays")
    func compact() {
        let recent = RecentTasks()
        recent.put(.sample(0))
        for number in 1...1000 {
            recent.put(.sample(number))
            recent.put(.sample(number))
            recent.remove(.sample(number))
        }
        #expect(recent.record(.sample(0)) != nil)
        #expect(recent.orderLength < 100)
    }

    @Test("unblocks a task only in the revision whose turn has come, and no task that is not cached")
    func unblocked() {
        let recent = RecentTasks()
        var record = TaskRecord.sample(1)
        record.change { $0.isBlocked = true }
        recent.unblock(record.id, revision: record.revision)
        #expect(recent.record(record.id) == nil)
        recent.put(record)
        recent.unblock(record.id, revision: record.revision + 1)
        #expect(recent.record(record.id) == record)
        recent.unblock(record.id, revision: record.revision)
        record.change { $0.isBlocked = false }
        #expect(recent.record(record.id) == record)
    }
}
