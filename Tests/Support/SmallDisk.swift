import Foundation
import Glibc

/// A file system of a fixed size, in memory, which a test can fill.
///
/// | initializer | seen by | needs |
/// | --- | --- | --- |
/// | ``init(mebibytes:)`` | every process, this one included | root; ``unmount()`` must be called |
/// | ``init(at:mebibytes:)`` | programs that ``launcher`` starts | mount namespaces |
package final class SmallDisk: Sendable {
    /// Keeps a mount namespace of its own, so that the system is unaffected and the disk disappears with the test;
    /// `nil` for a disk that every process sees.
    private let holder: ChildProcess?
    /// The mount point, for the processes that see it.
    package let path: String

    /// Mounts a disk for every process.
    ///
    /// - Throws: ``ChildProcess/Ended`` if the system does not allow it.
    package init(mebibytes: Int) async throws {
        holder = nil
        path = FileManager.default.temporaryDirectory.path + "/errand-disk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let options = ["-t", "tmpfs", "-o", "size=\(mebibytes)m", "tmpfs", path]
        let result = try await ChildProcess("/bin/mount", options).result()
        guard result.exit == .status(0) else {
            rmdir(path)
            throw ChildProcess.Ended(description: result.errors)
        }
    }

    /// Mounts a disk at a folder, for programs started by ``launcher``.
    ///
    /// - Throws: ``ChildProcess/Ended`` if the system does not allow mount namespaces.
    package init(at path: String, mebibytes: Int) async throws {
        self.path = path
        let script = #"mount -t tmpfs -o size="$0" tmpfs "$1" && echo mounted && exec cat"#
        let namespaces = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
        let holder = try ChildProcess(
            "/usr/bin/unshare", namespaces + ["/bin/sh", "-c", script, "\(mebibytes)m", path], input: .untilOwnEnd)
        self.holder = holder
        _ = try await holder.output.line(containing: "mounted")
    }

    /// True if ``init(mebibytes:)`` is possible.
    package static var isMountable: Bool {
        get async { await mounting.value }
    }

    private static let mounting = Task {
        guard geteuid() == 0, let disk = try? await SmallDisk(mebibytes: 1) else { return false }
        await disk.unmount()
        return true
    }

    /// Unmounts a disk that every process sees.
    package func unmount() async {
        // Lazily, as a failed test may still have files open. What remains disappears with the system.
        _ = try? await ChildProcess("/bin/umount", ["-l", path]).result()
        rmdir(path)
    }

    /// The command prefix of a program that uses the disk.
    package var launcher: [String] {
        guard let holder else { return [] }
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return ["/usr/bin/nsenter", "--target", "\(holder.id)"] + user + ["--mount"]
    }

    /// The root of the files as the disk's programs see it, for this process.
    private var root: String { holder.map { "/proc/\($0.id)/root" } ?? "" }

    private var filler: String { "\(root)\(path)/filler" }

    /// Fills the free space.
    ///
    /// - Parameter rest: The space that stays free, in bytes.
    package func fill(leaving rest: Int = 0) throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        var size: off_t = 0
        for step: off_t in [16 << 20, 1 << 20, 4096] {
            while posix_fallocate(descriptor, size, step) == 0 { size += step }
        }
        guard rest > 0 else { return }
        guard ftruncate(descriptor, max(size - off_t(rest), 0)) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
    }

    /// Returns the number of files in a folder of the disk and in its subfolders.
    package func files(in folder: String) throws -> Int {
        let path = "\(root)\(folder)"
        return try FileManager.default.subpathsOfDirectory(atPath: path).count { name in
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            return isThere && !isFolder.boolValue
        }
    }

    /// Returns the number of files in a folder of the disk, given relative to its mount point, and in its subfolders.
    package func files(below folder: String) throws -> Int {
        try files(in: "\(path)/\(folder)")
    }

    /// Returns the contents of a file of the disk, given relative to its mount point; `nil` if there is none.
    package func contents(of file: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)\(path)/\(file)").map { Array($0) }
    }

    /// Enlarges the disk until it has an amount of free space.
    ///
    /// - Throws: ``ChildProcess/Ended`` if the system does not allow it.
    package func grow(toFree mebibytes: Int) async throws {
        var space = statvfs()
        guard statvfs("\(root)\(path)", &space) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let blocksOfMebibyte = UInt(1 << 20) / space.f_frsize
        let missing = mebibytes - Int(space.f_bavail / blocksOfMebibyte)
        guard missing > 0 else { return }
        let size = Int(space.f_blocks / blocksOfMebibyte) + missing
        let command = launcher + ["/bin/mount", "-o", "remount,size=\(size)m", path]
        let result = try await ChildProcess(command[0], Array(command.dropFirst())).result()
        guard result.exit == .status(0) else { throw ChildProcess.Ended(description: result.errors) }
    }

    /// Frees the space again.
    package func makeRoom() {
        unlink(filler)
    }
}
