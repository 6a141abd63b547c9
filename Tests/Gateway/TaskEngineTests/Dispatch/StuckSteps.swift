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
    private let unreadable: Set<TaskID>
    private let didDeliver: @Sendable (Delivery) async -> Void

    /// Creates steps of which none has an effect.
    ///
    /// - Parameters:
    ///   - stuck: The tasks to which no step can be delivered. Default: none.
    ///   - unreadable: The tasks that cannot be read. Default: none.
    ///   - didDeliver: Runs at the end of each delivery.
    init(
        stuck: Set<TaskID> = [], unreadable: Set<TaskID> = [],
        didDeliver: @escaping @Sendable (Delivery) async -> Void = { _ in }
    ) {
        self.stuck = stuck
        self.unreadable = unreadable
        self.didDeliver = didDeliver
    }

    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async -> StepDeliveries {
        let isDeadline = if case .deadlinePassed = step { true } else { false }
        let delivery = Delivery(isDeadline: isDeadline, tasks: Array(ids))
        var outcome = StepDeliveries()
        outcome.unreadable = unreadable.intersection(delivery.tasks)
        for id in delivery.tasks where stuck.contains(id) {
            outcome.failures[id] = TaskStoreError(.busy, "The task store takes too long to store the change")
        }
        deliveries.append(delivery)
        await didDeliver(delivery)
        return outcome
    }

    func reply(to step: TaskStep, of record: TaskRecord) async throws(TaskStoreError) -> TaskCommandOutcome {
        .notFound
    }

    func unblockNext(after release: TaskRelease) {}
}
