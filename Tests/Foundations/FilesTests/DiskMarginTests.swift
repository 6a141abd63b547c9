import ErrandFiles
import ErrandSupport
import Glibc
import Testing

@Suite("The free space of a disk")
struct DiskMarginTests {
    @Test("is kept: bytes that would leave less are refused")
    func minimum() throws {
        let temporary = try TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let free = Int64(try DiskSpace(folder: folder).freeBytes)
        var margin = DiskMargin(folder: folder, minFreeBytes: free * 2)
        let failure = #expect(throws: SystemFailure.self) { try margin.take(1) }
        #expect(failure?.number == ENOSPC)
        #expect(failure?.keepsSpaceFree == true)
        // It is measured again after some mebibytes, not for each piece.
        try margin.take(1)
        #expect(throws: SystemFailure.self) { try margin.require(0) }
    }

    @Test("has no minimum unless one is given, but is never more than there is")
    func none() throws {
        let temporary = try TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        var margin = DiskMargin(folder: folder, minFreeBytes: 0)
        try margin.take(1 << 30)
        try margin.require(1)
        let failure = #expect(throws: SystemFailure.self) { try margin.require(.max) }
        #expect(failure?.keepsSpaceFree == false)
    }
}
