import ErrandSupport
import Foundation
import Glibc

/// A file system of a fixed size, in memory, which a test can fill.
///
/// It is mounted in a mount namespace of its own, kept by a process, so that the system is unaffected and it disappears
/// with the test. Gateways that use it are started with ``launcher``.
final class SmallDisk: Sendable {
    private let holder: ChildProcess
    /// The mount point, for programs started by ``launcher``.
    let path: String

    /// Mounts a disk at a folder.
    ///
    /// - Throws: ``ChildProcess/Ended`` if the system does not allow mount namespaces.
    init(at path: String, mebibytes: Int) async throws {
        self.path = path
        let script = #"mount -t tmpfs -o size="$0" tmpfs "$1" && echo mounted && exec cat"#
        let namespaces = geteuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
        holder = try ChildProcess(
            "/usr/bin/unshare", namespaces + ["/bin/sh", "-c", script, "\(mebibytes)m", path], input: .untilOwnEnd)
        _ = try await holder.output.line(containing: "mounted")
    }

    /// The command prefix of a program that uses the disk.
    var launcher: [String] {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return ["/usr/bin/nsenter", "--target", "\(holder.id)"] + user + ["--mount"]
    }

    private var filler: String { "/proc/\(holder.id)/root\(path)/filler" }

    /// Fills all free space.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        var size: off_t = 0
        for step: off_t in [16 << 20, 1 << 20, 4096] {
            while posix_fallocate(descriptor, size, step) == 0 { size += step }
        }
    }

    /// Returns the number of files in a folder of the disk and in its subfolders.
    func files(in folder: String) throws -> Int {
        let path = "/proc/\(holder.id)/root\(folder)"
        return try FileManager.default.subpathsOfDirectory(atPath: path).count { name in
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            return isThere && !isFolder.boolValue
        }
    }

    /// Frees the space again.
    func makeRoom() {
        unlink(filler)
    }
}
