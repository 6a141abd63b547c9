import ErrandJSON
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskTransition: edits and run-now")
struct TaskTransitionClientsTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private var later: Timestamp { now.adding(.seconds(10)) }
    private var earlier: Timestamp { now.adding(.seconds(-10)) }

    private func edit(_ record: TaskRecord, _ change: (inout TaskEdit) -> Void) -> TaskTransition {
        var edit = TaskEdit()
        change(&edit)
        return TaskTransition(of: .edit(edit, ifRevision: { _ in true }), on: record, at: now)
    }

    private func record(_ state: TaskState, notBefore: Timestamp? = nil, nextAttemptAt: Timestamp? = nil) -> TaskRecord
    {
        var record = TaskRecord.sample(1, state: state, labels: ["a": "1", "b": "2"])
        record.change {
            $0.notBefore = notBefore
            $0.nextAttemptAt = nextAttemptAt
        }
        return record
    }

    // MARK: Run now

    @Test(
        "A task that waits for a time is queued at once, before all others", arguments: [TaskState.scheduled, .waiting])
    func runNow(state: TaskState) {
        let transition = TaskTransition(
            of: .runNow, on: record(state, notBefore: later, nextAttemptAt: later), at: now)
        #expect(transition.record?.state == .queued)
        #expect(transition.record?.readyAt == .earliest)
        #expect(transition.effects == [.enqueue])
    }

    @Test("It stays queued when it is suspended and resumed again", arguments: [TaskState.scheduled, .waiting])
    func runNowOutlivesSuspension(state: TaskState) throws {
        var next = record(state, notBefore: later, nextAttemptAt: state == .waiting ? later : nil)
        for step in [TaskStep.runNow, .suspend, .resume] {
            next = try #require(TaskTransition(of: step, on: next, at: now).record)
        }
        #expect(next.state == .queued)
        #expect(next.notBefore == now)
        #expect(next.nextAttemptAt == nil)
    }

    @Test("A queued task moves to the front, once")
    func runNowQueued() throws {
        let queued = record(.queued)
        let transition = TaskTransition(of: .runNow, on: queued, at: now)
        let next = try #require(transition.record)
        #expect(next.readyAt == .earliest)
        #expect(next.queuePosition < queued.queuePosition)
        #expect(transition.effects == [.withdraw, .enqueue])
        let again = TaskTransition(of: .runNow, on: next, at: now)
        #expect(again.update == nil)
        #expect(again.refusal == nil)
    }

    @Test(
        "A running task stays running; a suspended, canceling or finished task does not start",
        arguments: TaskState.allCases)
    func runNowRefused(state: TaskState) {
        let transition = TaskTransition(of: .runNow, on: record(state, notBefore: later, nextAttemptAt: later), at: now)
        switch state {
        case .scheduled, .queued, .waiting: #expect(transition.update != nil)
        case .running:
            #expect(transition.update == nil)
            #expect(transition.refusal == nil)
        case .suspended, .canceling, .succeeded, .failed, .canceled: #expect(transition.refusal == .illegal)
        }
    }

    // MARK: Edits

    @Test("A changed priority moves a queued task in the queue, and no other task")
    func priority() {
        let queued = record(.queued)
        let transition = edit(queued) { $0.priority = 9 }
        #expect(transition.record?.priority == 9)
        #expect(transition.record?.revision == 2)
        #expect(transition.record?.updatedAt == now)
        #expect(transition.effects == [.withdraw, .enqueue])
        for state in [TaskState.scheduled, .waiting, .running, .suspended] {
            let transition = edit(record(state, notBefore: later, nextAttemptAt: later)) { $0.priority = 9 }
            #expect(transition.record?.priority == 9)
            #expect(transition.effects.isEmpty)
        }
    }

    @Test("Labels are merged: one is replaced, one added, one removed")
    func labels() {
        let transition = edit(record(.running)) { $0.labels = ["a": "3", "b": nil, "c": "4"] }
        #expect(transition.record?.labels == ["a": "3", "c": "4"])
        #expect(transition.update?.changesLabels == true)
        #expect(edit(record(.running)) { $0.priority = 1 }.update?.changesLabels == false)
    }

    @Test("An edit that changes nothing stores nothing")
    func nothing() {
        let transition = edit(record(.queued)) { edit in
            edit.priority = 5
            edit.labels = ["a": "1", "z": nil]
            edit.deadline = .some(nil)
        }
        #expect(transition.update == nil)
        #expect(transition.refusal == nil)
    }

    @Test("A queued task that is postponed leaves the queue until its time")
    func putOff() {
        let queued = record(.queued)
        let transition = edit(queued) { $0.notBefore = .some(later) }
        #expect(transition.record?.state == .scheduled)
        #expect(transition.record?.dueAt == later)
        #expect(transition.effects == [.withdraw])
        #expect(edit(queued) { $0.notBefore = .some(earlier) }.record?.state == .queued)
    }

    @Test("A scheduled task whose time is removed or has passed is queued", arguments: [true, false])
    func bringForward(isOver: Bool) {
        let transition = edit(record(.scheduled, notBefore: later)) { $0.notBefore = .some(isOver ? earlier : nil) }
        #expect(transition.record?.state == .queued)
        #expect(transition.record?.readyAt == now)
        #expect(transition.effects == [.enqueue])
    }

    @Test("A scheduled task moves to another time")
    func move() {
        let time = later.adding(.seconds(5))
        let transition = edit(record(.scheduled, notBefore: later)) { $0.notBefore = .some(time) }
        #expect(transition.record?.state == .scheduled)
        #expect(transition.record?.dueAt == time)
        #expect(transition.effects.isEmpty)
    }

    @Test("A pause between attempts is extended, but never shortened")
    func pause() {
        let waiting = record(.waiting, nextAttemptAt: later)
        #expect(edit(waiting) { $0.notBefore = .some(now) }.record?.dueAt == later)
        let time = later.adding(.seconds(5))
        #expect(edit(waiting) { $0.notBefore = .some(time) }.record?.dueAt == time)
    }

    @Test("An extension of a pause is taken back or moved with the time that caused it")
    func extended() throws {
        let extended = try #require(
            edit(record(.waiting, nextAttemptAt: now)) { $0.notBefore = .some(later) }.record)
        #expect(extended.dueAt == later)
        #expect(edit(extended) { $0.notBefore = .some(nil) }.record?.dueAt == now)
        let sooner = now.adding(.milliseconds(1))
        #expect(edit(extended) { $0.notBefore = .some(sooner) }.record?.dueAt == sooner)
    }

    @Test(
        "A pause that not_before has extended ends at that time of day, even if the clock is set",
        arguments: [-3600, 3600])
    func extendedAndClockSet(seconds: Int) throws {
        let extended = try #require(
            edit(record(.waiting, nextAttemptAt: now)) { $0.notBefore = .some(later) }.record)
        let jump = Duration.seconds(seconds)
        let moved = TaskTransition(of: .clockWasSet, on: extended, at: now, clockOffset: jump)
        #expect(moved.record == nil)
        let pause = TaskTransition(
            of: .clockWasSet, on: record(.waiting, nextAttemptAt: later), at: now, clockOffset: jump)
        #expect(pause.record?.nextAttemptAt == later.adding(jump))
    }

    @Test("A step moves the wait of its task by the jumps since it was worked out, and no later step does it again")
    func movedOnce() throws {
        let offset = Duration.seconds(3600)
        var next = record(.waiting, nextAttemptAt: later)
        for step in [TaskStep.suspend, .resume] {
            next = try #require(TaskTransition(of: step, on: next, at: now, clockOffset: offset).record)
            #expect(next.nextAttemptAt == later.adding(offset))
        }
        #expect(TaskTransition(of: .clockWasSet, on: next, at: now, clockOffset: offset).record == nil)
        let back = TaskTransition(of: .clockWasSet, on: next, at: now)
        #expect(back.record?.nextAttemptAt == later)
    }

    @Test("A task whose delay is over does not wait for it again when it is resumed after the clock was set back")
    func overDelayAndClockSet() throws {
        let offset = Duration.seconds(-3600)
        var next = record(.queued, notBefore: earlier)
        next.change { $0.isDelayed = true }
        for step in [TaskStep.suspend, .resume] {
            next = try #require(
                TaskTransition(of: step, on: next, at: now.adding(offset), clockOffset: offset).record)
        }
        #expect(next.state == .queued)
    }

    @Test("A wait whose sum of jumps is impossible ends at the first or the last time that there is")
    func impossibleOffset() {
        let rows: [(Int64, Timestamp)] = [(.min, .latest), (.max, .earliest)]
        for (offset, end) in rows {
            var waiting = record(.waiting, nextAttemptAt: later)
            waiting.change { $0.clockOffset = .milliseconds(offset) }
            let moved = TaskTransition(of: .clockWasSet, on: waiting, at: now)
            #expect(moved.record?.nextAttemptAt == end)
        }
    }

    @Test("The pause of a suspended task is extended, but never shortened, and its extension is taken back")
    func suspendedPause() throws {
        let time = later.adding(.seconds(5))
        let suspended = try #require(
            TaskTransition(of: .suspend, on: record(.waiting, nextAttemptAt: later), at: now).record)
        let sooner = try #require(edit(suspended) { $0.notBefore = .some(now.adding(.seconds(1))) }.record)
        let extended = try #require(edit(suspended) { $0.notBefore = .some(time) }.record)
        let shortened = try #require(edit(extended) { $0.notBefore = .some(nil) }.record)
        for (record, dueAt) in [(sooner, later), (extended, time), (shortened, now)] {
            let resumed = try #require(TaskTransition(of: .resume, on: record, at: now).record)
            #expect(resumed.state == .waiting)
            #expect(resumed.dueAt == dueAt)
        }
    }

    @Test("A suspended task whose time is brought forward is queued by the time of its resumption, not by its old one")
    func suspendedBroughtForward() throws {
        var scheduled = record(.scheduled, notBefore: later)
        scheduled.change { $0.readyAt = later }
        let suspended = try #require(TaskTransition(of: .suspend, on: scheduled, at: now).record)
        let edited = try #require(edit(suspended) { $0.notBefore = .some(nil) }.record)
        let resumed = try #require(TaskTransition(of: .resume, on: edited, at: now).record)
        #expect(resumed.state == .queued)
        #expect(resumed.readyAt == now)
        // A task that kept its place in the queue has it again.
        let queued = record(.queued)
        let again = try #require(TaskTransition(of: .suspend, on: queued, at: now).record)
        #expect(TaskTransition(of: .resume, on: again, at: now).record?.readyAt == queued.readyAt)
    }

    @Test("A running task cannot be postponed, and such an edit changes no other part")
    func tooLate() {
        for record in [record(.running), TaskRecord.standingStill(1)] {
            let transition = edit(record) { edit in
                edit.notBefore = .some(later)
                edit.priority = 9
            }
            #expect(transition.refusal == .illegal)
            #expect(transition.update == nil)
        }
    }

    @Test(
        "A canceling or finished task is not changed",
        arguments: [TaskState.canceling, .succeeded, .failed, .canceled])
    func done(state: TaskState) {
        #expect(edit(record(state)) { $0.labels = ["a": "9"] }.refusal == .illegal)
    }

    @Test("A current attempt gets the new rate limit; a later attempt reads it")
    func pace() {
        #expect(edit(record(.running)) { $0.bytesPerSecond = .some(1000) }.effects == [.pace(1000)])
        let queued = edit(record(.queued)) { $0.bytesPerSecond = .some(1000) }
        #expect(queued.record?.bytesPerSecond == 1000)
        #expect(queued.effects.isEmpty)
    }

    @Test("An edit that is not valid together with one that was stored before is refused, and changes nothing")
    func together() throws {
        let labels = ["a", "b"].map { prefix in
            Dictionary(uniqueKeysWithValues: (0..<40).map { ("\(prefix)\($0)", String?.some("v")) })
        }
        let labeled = try #require(edit(record(.running)) { $0.labels = labels[0] }.record)
        let late = try #require(edit(record(.queued)) { $0.notBefore = .some(later) }.record)
        let hasty = try #require(edit(record(.queued)) { $0.deadline = .some(now.adding(.seconds(5))) }.record)
        let order = "the deadline must be after the earliest start, \(later)"
        for (transition, member, detail) in [
            (edit(labeled) { $0.labels = labels[1] }, "labels", "a task may have at most 64 labels, found 82"),
            (edit(late) { $0.deadline = .some(later) }, "deadline", order),
            (edit(hasty) { $0.notBefore = .some(later) }, "not_before", order),
        ] {
            #expect(transition.refusal == .invalid([JSONProblem(JSONPointer([member]), detail)]))
            #expect(transition.update == nil && transition.effects.isEmpty)
        }
        #expect(edit(labeled) { $0.labels = ["a": "2"] }.record?.labels["a"] == "2")
    }

    @Test("An edit applies only if its precondition is met")
    func precondition() {
        var edit = TaskEdit()
        edit.priority = 9
        let transition = TaskTransition(
            of: .edit(edit, ifRevision: { $0.revision == 2 }), on: record(.queued), at: now)
        #expect(transition.refusal == .precondition)
        #expect(transition.update == nil)
    }
}
