import ErrandTaskStore

/// An operation and its waiting caller.
///
/// An object, so that a write allocates one of them instead of a closure for each outcome.
protocol WriteJob: AnyObject, Sendable {
    /// The estimated number of log frames.
    var frames: Int { get }
    /// The effect on the disk usage.
    var effect: DiskRoom.Effect { get }

    /// Performs the operation; may be repeated after the transaction was rolled back.
    func perform(_ writing: inout TaskWriting) throws

    /// Gives the caller the value of the operation, once it is committed.
    func succeed()

    /// Reports to the caller that the operation failed.
    func fail(_ reason: TaskStoreError)
}

/// An operation with a value of any type, and its waiting caller.
final class OperationJob<Value: Sendable>: WriteJob {
    private let operation: WriteOperation<Value>
    private let finish: @Sendable (Result<Value, TaskStoreError>) -> Void
    // Used only on the writer's queue.
    nonisolated(unsafe) private var value: Value?

    /// Creates a job.
    ///
    /// - Parameter finish: Called once.
    init(
        _ operation: WriteOperation<Value>, _ finish: @escaping @Sendable (Result<Value, TaskStoreError>) -> Void
    ) {
        self.operation = operation
        self.finish = finish
    }

    var frames: Int { operation.frames }

    var effect: DiskRoom.Effect { operation.effect }

    func perform(_ writing: inout TaskWriting) throws {
        value = try operation.perform(&writing)
    }

    func succeed() {
        finish(value.map { .success($0) } ?? .failure(.unperformed))
    }

    func fail(_ reason: TaskStoreError) {
        finish(.failure(reason))
    }
}

extension TaskStoreError {
    fileprivate static let unperformed = TaskStoreError(.unexpected, "An operation was committed without its value")
}
