import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskTransition: content that is sent separately")
struct TaskTransitionContentTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private var later: Timestamp { now.adding(.seconds(10)) }
    private let content = TaskContent.stored(size: 3, sha256: Array(repeating: 7, count: 32))

    private func waiting(_ state: TaskState = .scheduled, notBefore: Timestamp? = nil) -> TaskRecord {
        var record = TaskRecord.sample(1, kind: .upload, state: state)
        record.change {
            $0.content = .awaited(until: later)
            $0.notBefore = notBefore
        }
        return record
    }

    @Test("With its content a task is queued, unless it has a later time or is suspended")
    func arrived() throws {
        let queued = TaskTransition(of: .contentArrived(content), on: waiting(), at: now)
        #expect(queued.record?.state == .queued)
        #expect(queued.record?.readyAt == now)
        #expect(queued.record?.content == content)
        #expect(queued.effects == [.enqueue])
        let scheduled = TaskTransition(of: .contentArrived(content), on: waiting(notBefore: later), at: now)
        #expect(scheduled.record?.state == .scheduled)
        #expect(scheduled.record?.dueAt == later)
        #expect(scheduled.effects.isEmpty)
        let suspended = TaskTransition(of: .contentArrived(content), on: waiting(.suspended), at: now)
        #expect(suspended.record?.state == .suspended)
        #expect(suspended.record?.content == content)
        let resumed = TaskTransition(of: .resume, on: try #require(suspended.record), at: now)
        #expect(resumed.record?.state == .queued)
    }

    @Test("A task whose content is passed on is queued when that begins, if nothing else delays it")
    func begun() throws {
        let queued = TaskTransition(of: .contentBegan, on: waiting(), at: now)
        #expect(queued.record?.state == .queued)
        #expect(queued.record?.content == nil)
        #expect(queued.effects == [.enqueue])
        for record in [waiting(notBefore: later), waiting(.suspended), try #require(queued.record)] {
            let transition = TaskTransition(of: .contentBegan, on: record, at: now)
            #expect(transition.refusal == .illegal)
            #expect(transition.update == nil)
        }
    }

    @Test("The end of a task keeps the size of content that was passed on, which leaves no file")
    func passedOn() throws {
        for (state, succeeded) in [(TaskState.running, true), (.running, false), (.canceling, false)] {
            for isComplete in [true, false] {
                var result = AttemptResult(succeeded: succeeded, attempt: Array("{}".utf8))
                result.passedOn = .passedOn(size: 15, isComplete: isComplete)
                let end = TaskTransition(of: .end(result), on: .sample(1, kind: .upload, state: state), at: now)
                #expect(end.record?.state.isTerminal == true)
                #expect(end.record?.content == .passedOn(size: 15, isComplete: isComplete))
                #expect(!end.effects.contains(.dropContent))
            }
        }
    }

    @Test("A task whose client has left fails, unless an attempt is under way or its content is stored")
    func lost() throws {
        for state in [TaskState.queued, .waiting, .suspended] {
            let transition = TaskTransition(of: .contentLost, on: .sample(1, kind: .upload, state: state), at: now)
            let error = try #require(transition.record?.result.error)
            #expect(transition.record?.state == .failed)
            #expect(String(decoding: error, as: UTF8.self).contains(#""code":"content_incomplete""#))
        }
        var stored = TaskRecord.sample(1, kind: .upload, state: .queued)
        stored.change { $0.content = content }
        for record in [.sample(1, kind: .upload, state: .running), .sample(1, kind: .upload, state: .failed), stored] {
            #expect(TaskTransition(of: .contentLost, on: record, at: now).update == nil)
        }
    }

    @Test("Content that no attempt has taken is withdrawn: its task waits for it again, with all of the time for it")
    func withdrawn() throws {
        let patience = UploadTaskHandler.patience
        for (state, next) in [
            (TaskState.queued, TaskState.scheduled), (.waiting, .scheduled), (.scheduled, .scheduled),
            (.suspended, .suspended),
        ] {
            var record = TaskRecord.sample(1, kind: .upload, state: state)
            record.change { if state == .waiting { $0.nextAttemptAt = later } }
            let transition = TaskTransition(of: .contentWithdrawn, on: record, at: now)
            let again = try #require(transition.record)
            #expect(again.state == next)
            #expect(again.content == .awaited(until: now.adding(patience)))
            #expect(again.awaitsContent)
            #expect(again.nextAttemptAt == nil)
            #expect(transition.effects == (state == .queued ? [.withdraw] : []))
            // The slot that was taken for it is not needed.
            let start = TaskTransition(of: .start, on: again, at: now)
            #expect(start.update == nil)
            #expect(start.effects == [.releaseSlot])
            let second = TaskTransition(of: .contentWithdrawn, on: again, at: later)
            #expect(second.update == nil && second.refusal == nil, "it waits for its content already")
            if next == .scheduled {
                #expect(TaskTransition(of: .contentBegan, on: again, at: later).record?.state == .queued)
            }
        }
    }

    @Test("Content that an attempt has, or that is stored, and that of a task that has ended is not withdrawn")
    func notWithdrawn() throws {
        var stored = TaskRecord.sample(1, kind: .upload, state: .queued)
        stored.change { $0.content = content }
        let running = TaskRecord.sample(1, kind: .upload, state: .running)
        let suspended = try #require(TaskTransition(of: .suspend, on: running, at: now).record)
        #expect(suspended.hasOpenAttempt)
        let ended = [TaskState.canceling, .succeeded, .failed, .canceled].map {
            TaskRecord.sample(1, kind: .upload, state: $0)
        }
        for record in [stored, running, suspended] + ended {
            let transition = TaskTransition(of: .contentWithdrawn, on: record, at: now)
            #expect(transition.refusal == .illegal)
            #expect(transition.update == nil && transition.effects.isEmpty)
        }
    }

    @Test("Without its content a task cannot be started: neither by a client nor by its time")
    func early() throws {
        #expect(TaskTransition(of: .runNow, on: waiting(), at: now).refusal == .illegal)
        #expect(TaskTransition(of: .resume, on: waiting(.suspended), at: now).record?.state == .scheduled)
        var edit = TaskEdit()
        edit.notBefore = .some(nil)
        let edited = TaskTransition(
            of: .edit(edit, ifRevision: { _ in true }), on: waiting(notBefore: later.adding(.seconds(9))), at: now)
        #expect(edited.record?.state == .scheduled)
        #expect(TaskTransition(of: .timeCame, on: waiting(notBefore: now), at: now).update == nil)
    }

    @Test("A task whose content does not arrive in time fails; one whose content has just arrived does not")
    func missing() throws {
        let failed = TaskTransition(of: .timeCame, on: waiting(), at: later)
        #expect(failed.record?.state == .failed)
        let error = try #require(failed.record?.result.error)
        #expect(String(decoding: error, as: UTF8.self).contains(#""code":"content_missing""#))
        let arrived = try #require(TaskTransition(of: .contentArrived(content), on: waiting(), at: now).record)
        #expect(TaskTransition(of: .timeCame, on: arrived, at: later).update == nil)
    }

    @Test("A second content, and one for a task that has ended or never waited, is refused")
    func refused() throws {
        let arrived = try #require(TaskTransition(of: .contentArrived(content), on: waiting(), at: now).record)
        let canceled = try #require(TaskTransition(of: .cancel, on: waiting(), at: now).record)
        for record in [arrived, canceled, TaskRecord.sample(1)] {
            let transition = TaskTransition(of: .contentArrived(content), on: record, at: now)
            #expect(transition.refusal == .illegal)
            #expect(transition.update == nil)
        }
    }

    @Test("The content is removed when its task succeeds or is canceled; a retry of a failed task needs it")
    func removed() throws {
        var running = TaskRecord.sample(1, kind: .upload, state: .running)
        running.change { $0.content = content }
        for (succeeded, isRemoved) in [(true, true), (false, false)] {
            let result = AttemptResult(succeeded: succeeded, attempt: [])
            let transition = TaskTransition(of: .end(result), on: running, at: now)
            #expect(transition.effects.contains(.dropContent) == isRemoved)
        }
        #expect(TaskTransition(of: .cancel, on: waiting(), at: now).effects.contains(.dropContent))
    }

    @Test("When the clock is set, the end of the wait for content moves with it")
    func clock() {
        let moved = TaskTransition(
            of: .clockWasSet, on: waiting(), at: now, clockOffset: .seconds(3600))
        #expect(moved.record?.content == .awaited(until: later.adding(.seconds(3600))))
    }
}
