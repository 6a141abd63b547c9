import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import Testing

@Suite("The order of a queue")
struct SessionQueueTests {
    private let ids = TaskIDGenerator()

    private func position(_ priority: Int, readyAfter minutes: Int64, _ id: TaskID? = nil) -> QueuePosition {
        QueuePosition(
            priority: priority, readyAt: Timestamp(milliseconds: 1_795_000_000_000 + minutes * 60_000),
            id: id ?? ids.next())
    }

    private func subject(_ positions: [QueuePosition], window: Int = 100) -> AdmissionSubject {
        let admission = AdmissionSubject(maxRunning: 100, window: window, limits: ["a": 1])
        for position in positions { admission.enqueue(position, session: "a") }
        return admission
    }

    /// Starts tasks one after the other until there are no more.
    private func drain(_ admission: AdmissionSubject) -> [TaskID] {
        var order: [TaskID] = []
        while let start = admission.start().tasks.first {
            order.append(start.id)
            admission.release(start.id, session: "a")
        }
        return order
    }

    @Test("A task with raised priority starts at its new position, once")
    func raised() {
        let positions = (0..<4).map { position(5, readyAfter: Int64($0)) }
        let admission = subject(positions)
        let raised = position(9, readyAfter: 3, positions[3].id)
        admission.enqueue(raised, session: "a")
        #expect(drain(admission) == [positions[3], positions[0], positions[1], positions[2]].map(\.id))
        #expect(admission.running == 0)
    }

    @Test("A task with lowered priority starts at its new position, once")
    func lowered() {
        let positions = (0..<4).map { position(5, readyAfter: Int64($0)) }
        let admission = subject(positions)
        admission.enqueue(position(0, readyAfter: 0, positions[0].id), session: "a")
        #expect(drain(admission) == [positions[1], positions[2], positions[3], positions[0]].map(\.id))
    }

    @Test("A task can be withdrawn and queued again at another position, and back, any number of times")
    func backAndForth() {
        let (first, second) = (position(5, readyAfter: 0), position(5, readyAfter: 1))
        let admission = subject([first, second])
        let behind = position(5, readyAfter: 2, first.id)
        for _ in 0..<100 {
            admission.withdraw(first.id, session: "a")
            admission.enqueue(behind, session: "a")
            admission.enqueue(first, session: "a")
        }
        admission.enqueue(behind, session: "a")
        #expect(drain(admission) == [second.id, first.id])
    }

    @Test("A task that is to run now goes before all waiting tasks, even from beyond the window")
    func runNow() {
        let positions = (0..<40).map { position(5, readyAfter: Int64($0)) }
        let admission = subject(positions, window: 16)
        let next = QueuePosition(priority: 5, readyAt: .earliest, id: positions[39].id)
        admission.enqueue(next, session: "a")
        #expect(admission.start().tasks.map(\.id) == [positions[39].id])
    }

    @Test("A task moved beyond the window is left to the store, and loaded from there")
    func movedBehindWindow() throws {
        let positions = (0..<40).map { position(5, readyAfter: Int64($0)) }
        let admission = subject(positions, window: 16)
        let moved = position(0, readyAfter: 0, positions[0].id)
        admission.enqueue(moved, session: "a")
        #expect(drain(admission) == positions[1..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        admission.didLoad(load, Array(positions[16..<32]))
        #expect(drain(admission) == positions[16..<32].map(\.id))
        let last = try #require(admission.nextLoad())
        admission.didLoad(last, positions[32...] + [moved])
        #expect(drain(admission) == positions[32...].map(\.id) + [moved.id])
    }

    @Test("A task moved while its old position is being loaded starts once, at its new position")
    func movedWhileReading() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 1])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        let positions = (0..<4).map { position(5, readyAfter: Int64($0)) }
        admission.didLoad(load, Array(positions[..<3]))
        let raised = position(9, readyAfter: 2, positions[2].id)
        admission.enqueue(raised, session: "a")
        #expect(drain(admission) == [positions[2], positions[0], positions[1]].map(\.id))
    }

    @Test("A task withdrawn and queued again is not lost at its stale position when the window shrinks")
    func cameBack() throws {
        let positions = (0..<20).map { position(5, readyAfter: Int64($0)) }
        let admission = subject(positions, window: 64)
        admission.withdraw(positions[16].id, session: "a")
        admission.enqueue(positions[16], session: "a")
        admission.configure(maxRunning: 100, window: 16, limits: ["a": 1])
        #expect(drain(admission) == positions[..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        #expect(load.position.map { $0 < positions[16] } ?? true)
        admission.didLoad(load, Array(positions[16...]))
        #expect(drain(admission) == positions[16...].map(\.id))
    }

    @Test("A task of the lowest priority starts at the latest before tasks queued two and a quarter hours later")
    func aging() {
        let old = position(0, readyAfter: 0)
        let admission = subject([old])
        var before = 0
        var minute: Int64 = 0
        // One slot, and a new task of the highest priority each minute.
        while minute < 1000 {
            admission.enqueue(position(9, readyAfter: minute), session: "a")
            guard let start = admission.start().tasks.first, start.id != old.id else { break }
            before += 1
            admission.release(start.id, session: "a")
            minute += 1
        }
        #expect(before == 9 * 15, "as many as came within what the priority is worth")
    }

    @Test(
        "Tasks that stay in the store although they were started do not block later ones, nor are read forever"
    )
    func unreadable() throws {
        let positions = (0..<50).map { position(5, readyAfter: Int64($0)) }
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        var started: Set<TaskID> = []
        var loads = 0
        var late: [QueuePosition] = []
        while let load = admission.nextLoad() {
            loads += 1
            try #require(loads < 20)
            // Tasks queued during the load come after all loaded ones.
            if late.count < 3 {
                late.append(position(5, readyAfter: Int64(100 + late.count)))
                admission.enqueue(late[late.count - 1], session: "a")
            }
            let page = (positions + late).filter { task in load.position.map { task > $0 } ?? true }.prefix(load.limit)
            admission.didLoad(load, Array(page))
            for start in admission.start().tasks {
                started.insert(start.id)
                admission.release(start.id, session: "a")
            }
        }
        #expect(started == Set((positions + late).map(\.id)))
    }
}
