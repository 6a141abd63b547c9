import ErrandBodyFiles
import ErrandDownloads
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
    private func sweeper(
        _ store: any TaskStore, _ bodies: BodyFiles, _ downloads: DownloadFolder? = nil, contents: BodyFiles? = nil
    ) -> OrphanSweeper {
        OrphanSweeper(
            storage: ContentStorage(
                ContentFiles(bodies: bodies, downloads: downloads, contents: contents), watchers: TaskWatchers()),
            store: store, begun: TaskID.sample(100).timestamp, logger: DispatcherFixture.logger)
    }

    @Test("Removes the partial files of tasks that are gone or have ended, unless a retry can continue them")
    func partialFiles() async throws {
        let folder = try GatewayFolder()
        let (store, bodies) = (try folder.store(), try folder.bodies())
        let downloads = DownloadFolder(path: try TemporaryFolder().path)
        let records = [TaskState.succeeded, .canceled, .failed, .running].enumerated().map { number, state in
            var record = TaskRecord.sample(number + 1, kind: .download, state: state)
            if state.isTerminal { record.change { $0.finishedAt = $0.createdAt } }
            return record
        }
        var canceled = TaskRecord.sample(8, kind: .download, state: .canceled)
        canceled.change {
            $0.finishedAt = $0.createdAt
            $0.keepsPartialFile = true
        }
        for record in records + [canceled] { _ = try await store.insert(NewTask(record)) }
        let partials = URL(filePath: downloads.path + "/.downloads.part")
        try FileManager.default.createDirectory(at: partials, withIntermediateDirectories: true)
        for id in records.map(\.id) + [canceled.id, .sample(9)] {
            try Data([1]).write(to: partials.appending(path: "\(id).part"))
            try Data([1]).write(to: partials.appending(path: "\(id).resume"))
        }
        try Data([1]).write(to: partials.appending(path: "note.txt"))

        let opened = DownloadFolder(path: downloads.path)
        #expect(await sweeper(store, bodies, opened).sweep() == 3)
        let left = try FileManager.default.contentsOfDirectory(atPath: partials.path)
        let kept = (records[2...] + [canceled]).flatMap { ["\($0.id).part", "\($0.id).resume"] }
        #expect(Set(left) == Set(kept + ["note.txt"]))
        await store.close()
    }

    @Test("Removes a record of a partial file that was not completed, so that the next scan finds nothing")
    func unfinishedRecord() async throws {
        let folder = try GatewayFolder()
        let (store, bodies) = (try folder.store(), try folder.bodies())
        let downloads = try TemporaryFolder()
        try downloads.write([1], to: ".downloads.part/\(TaskID.sample(9)).resume.new")
        let sweeper = sweeper(store, bodies, DownloadFolder(path: downloads.path))
        #expect(await sweeper.sweep() == 1)
        #expect(await sweeper.sweep() == 0)
        #expect(try downloads.files().isEmpty)
        await store.close()
    }

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
            try TemporaryFolder.write([1], at: bodies.path(of: id))
        }
        let foreign = bodies.path(of: gone) + "-note.txt"
        try TemporaryFolder.write([1], at: foreign)

        let removed = await sweeper(store, bodies).sweep()
        #expect(removed == 2)
        #expect(try folder.hasBody(withFile.id))
        #expect(try !folder.hasBody(withoutFile.id))
        #expect(try folder.hasBody(running.id))
        #expect(try !folder.hasBody(gone))
        #expect(FileManager.default.fileExists(atPath: foreign))
        await store.close()
    }

    @Test("Removes the content of requests of tasks that are gone, succeeded or canceled; a retry needs the others")
    func contents() async throws {
        let folder = try GatewayFolder()
        let (store, contents) = (try folder.store(), try folder.contents())
        let states = [TaskState.succeeded, .canceled, .failed, .scheduled, .failed]
        let records = states.enumerated().map { number, state in
            var record = TaskRecord.sample(number + 1, kind: .upload, state: state)
            record.change {
                if state.isTerminal { $0.finishedAt = $0.createdAt }
                $0.content =
                    number == 4
                    ? .awaited(until: $0.createdAt) : .stored(size: 1, sha256: Array(repeating: 1, count: 32))
            }
            return record
        }
        for record in records { _ = try await store.insert(NewTask(record)) }
        for id in records.map(\.id) + [.sample(9), .sample(200)] {
            try TemporaryFolder.write([1], at: contents.path(of: id))
        }
        #expect(await sweeper(store, try folder.bodies(), contents: contents).sweep() == 4)
        #expect(FileManager.default.fileExists(atPath: contents.path(of: .sample(200))), "it may be about to be stored")
        let kept = records.filter { FileManager.default.fileExists(atPath: contents.path(of: $0.id)) }
        #expect(kept.map(\.state) == [.failed, .scheduled])
        await store.close()
    }

    @Test("Removes nothing if the store cannot be read")
    func unreadable() async throws {
        let folder = try GatewayFolder()
        let store = FlakyTaskStore(try folder.store())
        let bodies = try folder.bodies()
        try TemporaryFolder.write([1], at: bodies.path(of: .sample(1)))
        store.intervene { (_) async throws(TaskStoreError) in throw TaskStoreError(.inputOutput, "Broken") }
        #expect(await sweeper(store, bodies).sweep() == 0)
        #expect(try folder.hasBody(.sample(1)))
        await store.close()
    }
}
