import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

extension DispatcherFixture {
    /// An upstream that is not available, so that tasks wait for another attempt.
    static let unavailable: @Sendable (TransferRequest) -> [ScriptedTransport.Step] = { _ in
        [.head(ResponseHead(status: 503, headers: [.contentType: "application/json"])), .bytes(Array("{}".utf8))]
    }

    /// Waits until the stored record of a task is a later one.
    func changed(_ task: TaskRecord) async throws -> TaskRecord? {
        try await until { try await stored(task)?.revision != task.revision }
        return try await stored(task)
    }

    /// Waits until no waits are being moved, of which a start that has nothing to move tells by no event.
    func clockSettled() async throws {
        try await until { !context.wall.isSettling }
    }
}
