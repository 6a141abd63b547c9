import ErrandSupport
import ErrandTaskStore
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("SpaceProbe", .timeLimit(.hang))
struct SpaceProbeTests {
    private func code(_ result: ResultCode, _ probe: SpaceProbe) -> TaskStoreError.Code {
        TaskStoreError(DatabaseError(resultCode: result), probe: probe).code
    }

    @Test(
        "On a full disk a write that failed found no space, but a read failed by itself; with space both did",
        .enabled("requires permission to mount") { await SmallDisk.isMountable })
    func codes() async throws {
        let disk = try await SmallDisk(mebibytes: 4)
        let path = disk.path + "/tasks.db"
        let probe = SpaceProbe(database: path)
        let causes: [ResultCode] = [
            .SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE, .SQLITE_CANTOPEN,
        ]
        for cause in causes { #expect(code(cause, probe) == .inputOutput, "\(cause)") }
        try disk.fill()
        for cause in causes { #expect(code(cause, probe) == .diskFull, "\(cause)") }
        #expect(code(.SQLITE_IOERR_READ, probe) == .inputOutput)
        #expect(code(.SQLITE_CORRUPT, probe) == .corrupt)
        disk.makeRoom()
        for cause in causes { #expect(code(cause, probe) == .inputOutput, "\(cause)") }
        #expect(code(.SQLITE_FULL, probe) == .diskFull)
        #expect(fileSize(path + ".probe") == nil)
        await disk.unmount()
    }

    @Test("A folder that is missing is no lack of space")
    func missing() throws {
        let folder = try TemporaryFolder()
        #expect(!SpaceProbe(database: folder["missing/tasks.db"]).findsNoSpace())
    }
}
