import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import Testing

@Suite("Admission")
struct AdmissionTests {
    private let ids = TaskIDGenerator()

    private func position(_ priority: Int = 5) -> QueuePosition {
        let id = ids.next()
        return QueuePosition(priority: priority, readyAt: id.timestamp, id: id)
    }

    @Test("Higher priorities start first, and older tasks among equals")
    func order() {
        let admission = AdmissionSubject(maxRunning: 10, window: 100, limits: ["a": 10])
        let low = position(1)
        let first = position(5)
        let second = position(5)
        let high = position(9)
        for entry in [second, low, high, first] { admission.enqueue(entry, session: "a") }
        #expect(admission.start().tasks.map(\.id) == [high, first, second, low].map(\.id))
    }

    @Test("No session runs more tasks than its limit")
    func sessionLimit() {
        let admission = AdmissionSubject(maxRunning: 10, window: 100, limits: ["a": 2])
        for _ in 0..<5 { admission.enqueue(position(), session: "a") }
        #expect(admission.start().tasks.count == 2)
        #expect(admission.start().tasks.isEmpty)
        admission.release(session: "a")
        #expect(admission.start().tasks.count == 1)
        #expect(admission.running(session: "a") == 2)
    }

    @Test("Sessions take turns for the gateway's slots, so that a long queue blocks no other")
    func fairness() {
        let admission = AdmissionSubject(maxRunning: 4, window: 100, limits: ["a": 10, "b": 10])
        for _ in 0..<10 { admission.enqueue(position(), session: "a") }
        for _ in 0..<2 { admission.enqueue(position(), session: "b") }
        let starts = admission.start().tasks
        #expect(starts.count == 4)
        #expect(starts.filter { $0.session == "b" }.count == 2)
    }

    @Test("A slot is reserved for a new task only when no other task waits")
    func reservation() {
        let admission = AdmissionSubject(maxRunning: 2, window: 100, limits: ["a": 1, "b": 5])
        #expect(admission.reserve(session: "a"))
        #expect(!admission.reserve(session: "a"), "the session is full")
        #expect(admission.reserve(session: "b"))
        #expect(!admission.reserve(session: "b"), "the gateway is full")
        admission.enqueue(position(), session: "b")
        admission.release(session: "a")
        #expect(!admission.reserve(session: "b"), "another task waits before it")
    }

    @Test("A released reserved slot goes to the next task in the queue")
    func returnedReservation() {
        let admission = AdmissionSubject(maxRunning: 1, window: 100, limits: ["a": 1])
        #expect(admission.reserve(session: "a"))
        let waiting = position()
        admission.enqueue(waiting, session: "a")
        #expect(admission.start().tasks.isEmpty)
        admission.release(session: "a")
        #expect(admission.start().tasks.map(\.id) == [waiting.id])
    }

    @Test("Releasing a slot that was not taken has no effect")
    func needlessRelease() {
        let admission = AdmissionSubject(maxRunning: 1, window: 100, limits: ["a": 1])
        admission.release(session: "a")
        admission.release(session: "unknown")
        #expect(admission.running == 0)
    }

    @Test("Tasks of an unconfigured session never start")
    func unknownSession() {
        let admission = AdmissionSubject(maxRunning: 1, window: 100, limits: ["a": 1])
        admission.enqueue(position(), session: "gone")
        #expect(!admission.reserve(session: "gone"))
        #expect(admission.start().tasks.isEmpty)
    }

    @Test("Tasks beyond the window stay in the store, and are loaded when the window runs low")
    func window() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 100])
        let entries = (0..<40).map { _ in position() }
        for entry in entries { admission.enqueue(entry, session: "a") }
        #expect(admission.nextLoad() == nil, "the window is full")
        #expect(admission.start().tasks.map(\.id) == entries[..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        #expect(load.session == "a")
        #expect(load.limit == 16)
        #expect(admission.nextLoad() == nil, "a load is asked for once")
        admission.didLoad(load, Array(entries[16..<32]))
        #expect(admission.start().tasks.map(\.id) == entries[16..<32].map(\.id))
        let next = try #require(admission.nextLoad())
        admission.didLoad(next, Array(entries[32...]))
        #expect(admission.start().tasks.map(\.id) == entries[32...].map(\.id))
        #expect(admission.nextLoad() == nil, "the store has no more")
    }

    @Test("A task queued during a load is not lost")
    func arrivalWhileLoading() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        admission.enqueue(position(), session: "a")
        admission.didLoad(load, [])
        #expect(admission.nextLoad() != nil, "the reading may have missed it")
    }

    @Test("A failed load is requested again")
    func failedLoad() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        admission.didLoad(load, nil)
        #expect(admission.nextLoad() == load)
    }

    @Test("A task queued before the loaded range, and missed by the load, is not lost")
    func arrivalBeforeWhatIsRead() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 16, limits: ["a": 100])
        admission.noteStored(session: "a")
        let load = try #require(admission.nextLoad())
        let read = (0..<8).map { _ in position() }
        let missed = position(9)
        admission.enqueue(missed, session: "a")
        admission.didLoad(load, read)
        #expect(admission.start().tasks.isEmpty, "what was read may come after what was missed")
        let again = try #require(admission.nextLoad())
        #expect(again.position == nil)
        admission.didLoad(again, [missed] + read)
        #expect(admission.start().tasks.map(\.id) == ([missed] + read).map(\.id))
    }

    @Test("An admission is at rest when nothing can start and nothing is to be loaded")
    func rest() throws {
        let admission = AdmissionSubject(
            maxRunning: 100, rules: ["plain": .concurrent(1), "rated": .rate(1, per: .seconds(1), burst: 1)])
        #expect(admission.isAtRest)
        for _ in 0..<2 { admission.enqueueNew(session: "plain") }
        #expect(!admission.isAtRest, "a task can start")
        #expect(admission.start().tasks.count == 1)
        #expect(admission.isAtRest, "the session is full")
        admission.release(session: "plain")
        #expect(!admission.isAtRest, "a slot is free")
        #expect(admission.start().tasks.count == 1)
        for _ in 0..<2 { admission.enqueueNew(session: "rated") }
        #expect(admission.start().tasks.count == 1)
        #expect(!admission.isAtRest, "a session waits for its rate")
        admission.advance(by: .seconds(2))
        #expect(admission.start().tasks.count == 1)
        admission.noteStored(session: "plain")
        #expect(!admission.isAtRest, "tasks are to be loaded")
        let load = try #require(admission.nextLoad())
        #expect(admission.isAtRest, "the load is under way")
        admission.didLoad(load, nil)
        #expect(!admission.isAtRest, "the load failed")
    }

    @Test("A paused session starts nothing even with free slots, and continues where it stopped")
    func holds() {
        let admission = AdmissionSubject(maxRunning: 10, window: 100, limits: ["a": 10, "b": 10])
        let waiting = position()
        admission.enqueue(waiting, session: "a")
        #expect(admission.set(.suspended, to: true, session: "a"))
        #expect(!admission.set(.suspended, to: true, session: "a"), "it was so already")
        #expect(!admission.reserve(session: "a"))
        #expect(admission.start().tasks.isEmpty)
        #expect(admission.reserve(session: "b"), "another session goes on")
        #expect(admission.set(.unreachable, to: true, session: "a"))
        #expect(admission.set(.suspended, to: false, session: "a"))
        #expect(admission.start().tasks.isEmpty, "one reason is left")
        #expect(admission.set(.unreachable, to: false, session: "a"))
        #expect(admission.start().tasks.map(\.id) == [waiting.id])
        #expect(!admission.set(.suspended, to: true, session: "gone"), "unknown session")
    }

    @Test("A withdrawn task takes no turn and no slot, and can be queued again, once")
    func withdrawal() {
        let admission = AdmissionSubject(maxRunning: 10, window: 100, limits: ["a": 10])
        let (first, second) = (position(), position())
        for entry in [first, second] { admission.enqueue(entry, session: "a") }
        for _ in 0..<100 {
            admission.withdraw(first.id, session: "a")
            admission.enqueue(first, session: "a")
        }
        admission.withdraw(second.id, session: "a")
        #expect(admission.start().tasks.map(\.id) == [first.id])
        #expect(admission.running == 1)
        #expect(admission.reserve(session: "a"), "no task waits")
    }

    @Test("The wait reason of a queued task is operator, upstream or concurrency, in this order")
    func waitReasonOfTask() {
        let admission = AdmissionSubject(maxRunning: 2, window: 100, limits: ["a": 1, "b": 5])
        #expect(admission.waitReason(session: "a") == nil)
        _ = admission.reserve(session: "a")
        #expect(admission.waitReason(session: "a") == .concurrency)
        #expect(admission.waitReason(session: "b") == nil)
        _ = admission.reserve(session: "b")
        #expect(admission.waitReason(session: "b") == .concurrency, "the gateway is full")
        _ = admission.set(.unreachable, to: true, session: "a")
        #expect(admission.waitReason(session: "a") == .unreachable)
        _ = admission.set(.cancelingTasks, to: true, session: "a")
        #expect(admission.waitReason(session: "a") == .sessionSuspended)
        _ = admission.set(.cancelingTasks, to: false, session: "a")
        _ = admission.set(.suspended, to: true, session: "a")
        #expect(admission.waitReason(session: "a") == .sessionSuspended)
        #expect(admission.waitReason(session: "gone") == .sessionNotConfigured)
    }

    @Test("Higher limits apply at once, lower ones interrupt no task and let no more start")
    func otherLimits() {
        let admission = AdmissionSubject(maxRunning: 2, window: 100, limits: ["a": 1])
        let positions = (0..<5).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        #expect(admission.start().tasks.map(\.id) == positions[..<1].map(\.id))
        admission.configure(maxRunning: 10, window: 100, limits: ["a": 4])
        #expect(admission.start().tasks.map(\.id) == positions[1..<4].map(\.id))
        admission.configure(maxRunning: 10, window: 100, limits: ["a": 2])
        for _ in 0..<2 { admission.release(session: "a") }
        #expect(admission.start().tasks.isEmpty)
        admission.release(session: "a")
        #expect(admission.start().tasks.map(\.id) == positions[4...].map(\.id))
        admission.configure(maxRunning: 1, window: 100, limits: ["a": 9])
        #expect(!admission.reserve(session: "a"), "the gateway is full")
    }

    @Test("A removed session keeps its queue and releases its slots, and continues when it is added again")
    func goneSession() {
        let admission = AdmissionSubject(maxRunning: 3, window: 100, limits: ["a": 2, "b": 2])
        let positions = (0..<3).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        #expect(admission.start().tasks.count == 2)
        admission.configure(maxRunning: 3, window: 100, limits: ["b": 2])
        admission.release(session: "a")
        admission.release(session: "a")
        #expect(admission.running == 0)
        #expect(admission.start().tasks.isEmpty)
        #expect(admission.waitReason(session: "a") == .sessionNotConfigured)
        let late = position()
        admission.enqueue(late, session: "a")
        admission.configure(maxRunning: 3, window: 100, limits: ["a": 5, "b": 2])
        #expect(admission.start().tasks.map(\.id) == [positions[2].id, late.id])
        #expect(admission.waitReason(session: "a") == nil)
    }

    @Test("The queue of a new session is read from the store")
    func newSession() throws {
        let admission = AdmissionSubject(maxRunning: 3, window: 100, limits: ["a": 2])
        let lost = position()
        admission.enqueue(lost, session: "new")
        admission.configure(maxRunning: 3, window: 100, limits: ["a": 2, "new": 1])
        #expect(!admission.reserve(session: "new"), "others may wait")
        let load = try #require(admission.nextLoad())
        #expect(load.session == "new")
        admission.didLoad(load, [lost])
        #expect(admission.start().tasks.map(\.id) == [lost.id])
    }

    @Test("A smaller window leaves the end of the queue to the store, and loses nothing")
    func smallerWindow() throws {
        let admission = AdmissionSubject(maxRunning: 100, window: 64, limits: ["a": 100])
        _ = admission.set(.suspended, to: true, session: "a")
        let positions = (0..<40).map { _ in position() }
        for entry in positions { admission.enqueue(entry, session: "a") }
        admission.configure(maxRunning: 100, window: 16, limits: ["a": 100])
        _ = admission.set(.suspended, to: false, session: "a")
        #expect(admission.start().tasks.map(\.id) == positions[..<16].map(\.id))
        let load = try #require(admission.nextLoad())
        admission.didLoad(load, Array(positions[16..<32]))
        #expect(admission.start().tasks.map(\.id) == positions[16..<32].map(\.id))
        #expect(admission.nextLoad() != nil, "more tasks are stored")
    }
}
