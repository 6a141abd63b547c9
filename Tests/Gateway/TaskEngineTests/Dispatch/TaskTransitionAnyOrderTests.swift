import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskTransition: steps in random order")
struct TaskTransitionAnyOrderTests {
    @Test(
        "There is one attempt at a time, no slot is lost, queued tasks are in the queue, and an end is final",
        arguments: 0..<100)
    func anyOrder(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var model = TransitionModel(deadline: seed.isMultiple(of: 3), awaitsContent: seed.isMultiple(of: 4))
        for _ in 0..<500 { model.step(&random) }
        if !model.record.state.isTerminal { model.finish(&random) }
        #expect(model.record.state.isTerminal)
        #expect(model.slots == 0)
        #expect(model.ends == 1)
    }
}

/// Applies random steps to one task and performs their effects in a minimal model.
private struct TransitionModel {
    var record = TaskRecord.sample(1)
    var now = TaskRecord.sample(1).createdAt
    /// The entries of the task in the queue.
    var entries = [TaskRecord.sample(1).queuePosition]
    /// The slots taken for pending starts and for the attempt.
    var slots = 0
    var hasAttempt = false
    /// The number of times that the task has ended.
    var ends = 0

    init(deadline: Bool, awaitsContent: Bool) {
        if awaitsContent {
            record.change {
                $0.state = .scheduled
                $0.content = .awaited(until: now.adding(.seconds(2000)))
            }
            entries = []
        }
        if deadline { record.change { $0.deadline = now.adding(.seconds(3000)) } }
    }

    mutating func step(_ random: inout SplitMix64) {
        now = now.adding(.seconds(Int.random(in: 0...10, using: &random)))
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1: start(&random)
        case 2, 3: end(&random)
        case 4, 5: perform(.suspend, &random)
        case 6, 7, 8: perform(.resume, &random)
        case 9 where Int.random(in: 0..<100, using: &random) == 0: perform(.cancel, &random)
        case 10: perform(.timeCame, &random)
        case 11: perform(.runNow, &random)
        case 12: perform(.edit(edit(&random), ifRevision: { _ in true }), &random)
        case 13: perform(.deadlinePassed, &random)
        case 14: perform(.contentArrived(.stored(size: 1, sha256: [])), &random)
        case 15: perform(.contentBegan, &random)
        case 16: perform(.contentWithdrawn, &random)
        default: break
        }
        check()
    }

    /// Lets the task end.
    mutating func finish(_ random: inout SplitMix64) {
        for _ in 0..<10 where !record.state.isTerminal {
            perform(.cancel, &random)
            if hasAttempt { end(&random) }
        }
    }

    private mutating func start(_ random: inout SplitMix64) {
        guard !entries.isEmpty else { return }
        entries.removeFirst()
        slots += 1
        perform(.start, &random)
    }

    private mutating func end(_ random: inout SplitMix64) {
        guard hasAttempt else { return }
        hasAttempt = false
        slots -= 1
        var result = AttemptResult(succeeded: false, attempt: Array("{}".utf8))
        switch Int.random(in: 0..<40, using: &random) {
        case 0: result.succeeded = true
        case 1: break
        case 2..<20: result.mayRestart = true
        default: result.retryPause = .seconds(Int.random(in: 1...20, using: &random))
        }
        perform(.end(result), &random)
    }

    private func edit(_ random: inout SplitMix64) -> TaskEdit {
        var edit = TaskEdit()
        if Bool.random(using: &random) { edit.priority = Int.random(in: 0...9, using: &random) }
        if Bool.random(using: &random) {
            edit.notBefore = .some(Bool.random(using: &random) ? now.adding(.seconds(15)) : nil)
        }
        if Bool.random(using: &random) { edit.labels["a"] = "\(Int.random(in: 0...1, using: &random))" }
        return edit
    }

    private mutating func perform(_ step: TaskStep, _ random: inout SplitMix64) {
        let transition = TaskTransition(of: step, on: record, at: now)
        if let update = transition.update {
            #expect(update.expected == record.revision)
            #expect(update.record.revision == record.revision + 1)
            #expect(!record.state.isTerminal, "a finished task must not change")
            if update.record.state.isTerminal { ends += 1 }
            record = update.record
        }
        for effect in transition.effects {
            switch effect {
            case .launch:
                #expect(!hasAttempt, "two attempts at a time")
                hasAttempt = true
            case .enqueue: entries.append(record.queuePosition)
            // Its turn may have come already; the start follows even so.
            case .withdraw: if Bool.random(using: &random) { entries = [] }
            case .releaseSlot: slots -= 1
            case .suspendTransfer, .resumeTransfer, .closeConnection, .endAttempt, .pace: #expect(hasAttempt)
            case .dropBody, .dropPartialFile, .dropContent: break
            }
        }
    }

    private func check() {
        #expect(record.hasOpenAttempt == hasAttempt)
        #expect(slots == (hasAttempt ? 1 : 0))
        if record.awaitsContent { #expect([.scheduled, .suspended].contains(record.state)) }
        switch record.state {
        case .queued: #expect(entries.contains(record.queuePosition), "a queued task must be in the queue")
        case .scheduled: #expect(record.dueAt != nil, "a waiting task must have a time")
        case .waiting: #expect(record.dueAt != nil && record.attemptCount > 0)
        case .succeeded, .failed, .canceled: #expect(record.finishedAt != nil && record.expiresAt != nil)
        case .running, .suspended, .canceling: break
        }
    }
}
