import ErrandSupport
import ErrandTaskStore

@testable import ErrandTaskEngine

/// Records the steps that a timer delivers; those to some tasks fail, the others change nothing.
final class StuckSteps: StepDelivery {
    /// A step that was delivered to some tasks.
    struct Delivery: Hashable {
        /// True if their deadline has passed, false if their time has come.
        var isDeadline: Bool
        var tasks: [TaskID]
    }

    let deliveries = EventLog<Delivery>()
    let isOpen = true
    private let stuck: Set<TaskID>

    /// Creates steps of which none has an effect.
    ///
    /// - Parameter stuck: The tasks to which no step can be delivered. Default: none.
    init(stuck: Set<TaskID> = []) {
        self.stuck = stuck
    }

    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async -> StepDeliveries {
        let isDeadline = if case .deadlinePassed = step { true } else { false }
        var outcome = StepDeliveries()
        for id in ids where stuck.contains(id) {
            outcome.failures[id] = TaskStoreError(.busy, "The task store takes too long to store the change")
        }
        deliveries.append(Delivery(isDeadline: isDeadline, tasks: Array(ids)))
        return outcome
    }

    func reply(to step: TaskStep, of record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        .notFound
    }

    func unblockNext(after release: TaskRelease) {}
}
