import ErrandSupport
import Foundation

/// A device that a test lets fail while a program runs.
///
/// A library, loaded with `LD_PRELOAD`, fails calls for chosen files with EIO.
struct FailingDevice {
    /// The calls that can fail.
    enum Call: String, CaseIterable, Sendable {
        /// Reading a file.
        case read
        /// Writing a file.
        case write
        /// Syncing a file or a folder.
        case sync
        /// Syncing a folder.
        case folderSync = "folder-sync"
        /// Renaming a file.
        case rename
    }

    private let library: String
    /// The folder of the control files: each has the name of a call that fails, and contains the paths.
    private let faults: String

    /// Builds the library into a folder; no call fails yet.
    init(in folder: TemporaryFolder) async throws {
        library = folder["failing-device.so"]
        faults = folder["faults"]
        try folder.makeFolder("faults")
        let source = try folder.write(Self.source, to: "failing-device.c")
        try await CCompiler.build(["-O2", "-shared", "-fPIC", "-o", library, source])
    }

    /// The environment variables of a program that uses this device.
    var environment: [String: String] { ["LD_PRELOAD": library, "ERRAND_TEST_FAULTS": faults] }

    /// Fails a call for the files whose paths begin with `prefix`, at once for each program that uses the device.
    func fail(_ call: Call, at prefix: String) throws {
        try Data(prefix.utf8).write(to: URL(fileURLWithPath: "\(faults)/\(call.rawValue)"), options: .atomic)
    }

    /// Lets all calls succeed again.
    func work() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: faults) {
            try FileManager.default.removeItem(atPath: "\(faults)/\(name)")
        }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <limits.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>

        static const char *faults;

        __attribute__((constructor)) static void begin(void) { faults = getenv("ERRAND_TEST_FAULTS"); }

        /* Returns 1 if the call fails for the file at the path. */
        static int fails_at(const char *call, const char *path) {
            char name[PATH_MAX];
            char prefix[PATH_MAX];
            if (faults == NULL || snprintf(name, sizeof name, "%s/%s", faults, call) >= (int)sizeof name) return 0;
            int before = errno;
            int file = open(name, O_RDONLY | O_CLOEXEC);
            long count = file < 0 ? 0 : syscall(SYS_read, file, prefix, sizeof prefix);
            if (file >= 0) close(file);
            errno = before;
            return count > 0 && strncmp(path, prefix, (size_t)count) == 0;
        }

        static int fails(const char *call, int file) {
            char link[64];
            char path[PATH_MAX];
            if (faults == NULL || snprintf(link, sizeof link, "/proc/self/fd/%d", file) < 0) return 0;
            int before = errno;
            long count = readlink(link, path, sizeof path - 1);
            errno = before;
            if (count < 0) return 0;
            path[count] = 0;
            return fails_at(call, path);
        }

        static int is_folder(int file) {
            struct stat status;
            return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
        }

        static int failure(void) {
            errno = EIO;
            return -1;
        }

        ssize_t read(int file, void *bytes, size_t count) {
            return fails("read", file) ? failure() : syscall(SYS_read, file, bytes, count);
        }

        ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
            return fails("read", file) ? failure() : syscall(SYS_pread64, file, bytes, count, offset);
        }

        ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
            return fails("read", file) ? failure() : syscall(SYS_pread64, file, bytes, count, offset);
        }

        ssize_t write(int file, const void *bytes, size_t count) {
            return fails("write", file) ? failure() : syscall(SYS_write, file, bytes, count);
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            return fails("write", file) ? failure() : syscall(SYS_pwrite64, file, bytes, count, offset);
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
            return fails("write", file) ? failure() : syscall(SYS_pwrite64, file, bytes, count, offset);
        }

        static int sync_fails(int file) {
            return fails("sync", file) || (is_folder(file) && fails("folder-sync", file));
        }

        int fsync(int file) { return sync_fails(file) ? failure() : (int)syscall(SYS_fsync, file); }

        int fdatasync(int file) { return sync_fails(file) ? failure() : (int)syscall(SYS_fdatasync, file); }

        int rename(const char *from, const char *to) {
            if (fails_at("rename", from)) return failure();
            return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
        }
        """
}
