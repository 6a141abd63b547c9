import ErrandBodyFiles
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTransfer
import FoundationEssentials
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("OrphanSweeper", .timeLimit(.hang))
struct OrphanSweeperTests {
    @Test("Removes body files of deleted tasks and of tasks that ended without one, and keeps all others")
    func sweep() async throws {
        let folder = try GatewayFolder()
        let (store, bodies) = (try folder.store(), try folder.bodies())
        var withFile = TaskRecord.sample(1, state: .succeeded)
        withFile.change {
            $0.finishedAt = $0.createdAt
            $0.result.body = .sample(.file)
        }
        var withoutFile = TaskRecord.sample(2, state: .succeeded)
        withoutFile.change { $0.finishedAt = $0.createdAt }
        let running = TaskRecord.sample(3, state: .running)
        for record in [withFile, withoutFile, running] { _ = try await store.insert(NewTask(record)) }
        let gone = TaskID.sample(4)
        for id in [withFile.id, withoutFile.id, running.id, gone] {
            try Data([1]).write(to: URL(filePath: bodies.path(of: id)))
        }
        let foreign = URL(filePath: bodies.path(of: gone) + "-note.txt")
        try Data([1]).write(to: foreign)

        let removed = await OrphanSweeper(bodies: bodies, store: store, logger: DispatcherFixture.logger).sweep()
        #expect(removed == 2)
        #expect(try folder.hasBody(withFile.id))
        #expect(try !folder.hasBody(withoutFile.id))
        #expect(try folder.hasBody(running.id))
        #expect(try !folder.hasBody(gone))
        #expect(FileManager.default.fileExists(atPath: foreign.path))
        await store.close()
    }

    @Test("Removes nothing if the store cannot be read")
    func unreadable() async throws {
        let folder = try GatewayFolder()
        let store = FlakyTaskStore(try folder.store())
        let bodies = try folder.bodies()
        try Data([1]).write(to: URL(filePath: bodies.path(of: .sample(1))))
        store.intervene { (_) async throws(TaskStoreError) in throw TaskStoreError(.inputOutput, "Broken") }
        #expect(await OrphanSweeper(bodies: bodies, store: store, logger: DispatcherFixture.logger).sweep() == 0)
        #expect(try folder.hasBody(.sample(1)))
        await store.close()
    }
}
