import ErrandTaskStore

@testable import ErrandTaskEngine

/// Commands on the task with an identifier, as it is when the command is given.
extension Dispatcher {
    func cancel(_ id: TaskID) async throws(TaskStoreError) -> TaskCommandOutcome {
        guard let record = try await context.task(id) else { return .notFound }
        return try await cancel(record)
    }

    func suspend(_ id: TaskID) async throws(TaskStoreError) -> TaskCommandOutcome {
        guard let record = try await context.task(id) else { return .notFound }
        return try await suspend(record)
    }

    func resume(_ id: TaskID) async throws(TaskStoreError) -> TaskCommandOutcome {
        guard let record = try await context.task(id) else { return .notFound }
        return try await resume(record)
    }

    func runNow(_ id: TaskID) async throws(TaskStoreError) -> TaskCommandOutcome {
        guard let record = try await context.task(id) else { return .notFound }
        return try await runNow(record)
    }

    func edit(
        _ id: TaskID, _ edit: TaskEdit, ifRevision isMet: @escaping @Sendable (TaskRecord) -> Bool = { _ in true }
    ) async throws(TaskStoreError) -> TaskCommandOutcome {
        guard let record = try await context.task(id) else { return .notFound }
        return try await self.edit(record, edit, ifRevision: isMet)
    }
}
