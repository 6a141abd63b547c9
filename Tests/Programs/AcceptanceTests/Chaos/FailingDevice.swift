import ErrandFiles
import ErrandSupport
import Foundation
import Glibc

/// A device that a test lets fail while a program runs.
///
/// A library, loaded with `LD_PRELOAD`, fails calls for chosen files with EIO, and growth beyond a quota with EDQUOT.
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
    /// The folder of the control files: each has the name of a call that fails, and contains the paths; that of the
    /// quota contains its bytes and its folder.
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

    /// Lets the files of a folder, without those of its subfolders, have no more bytes together than now.
    ///
    /// Writes and reservations that would make one longer fail with EDQUOT, as those of a user with a quota.
    func exhaustQuota(of folder: String) throws {
        var used: Int64 = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let file = try FileDescriptor("\(folder)/\(name)", O_RDONLY)
            used += try file.regularFileBytes() ?? 0
        }
        try Data("\(used) \(folder)".utf8).write(to: URL(fileURLWithPath: "\(faults)/quota"), options: .atomic)
    }

    /// Lets all calls succeed again.
    func work() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: faults) {
            try FileManager.default.removeItem(atPath: "\(faults)/\(name)")
        }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dirent.h>
        #include <dlfcn.h>
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

        /* Reads the control file of a call; returns its length, 0 if there is none. */
        static long control(const char *call, char *text, size_t size) {
            char name[PATH_MAX];
            if (faults == NULL || snprintf(name, sizeof name, "%s/%s", faults, call) >= (int)sizeof name) return 0;
            int before = errno;
            int file = open(name, O_RDONLY | O_CLOEXEC);
            long count = file < 0 ? 0 : syscall(SYS_read, file, text, size);
            if (file >= 0) close(file);
            errno = before;
            return count < 0 ? 0 : count;
        }

        /* Finds the path of an open file; returns 0 if it has none. */
        static int find_path(int file, char *path) {
            char link[64];
            if (faults == NULL || snprintf(link, sizeof link, "/proc/self/fd/%d", file) < 0) return 0;
            int before = errno;
            long count = readlink(link, path, PATH_MAX - 1);
            errno = before;
            if (count < 0) return 0;
            path[count] = 0;
            return 1;
        }

        /* Returns 1 if the call fails for the file at the path. */
        static int fails_at(const char *call, const char *path) {
            char prefix[PATH_MAX];
            long count = control(call, prefix, sizeof prefix);
            return count > 0 && strncmp(path, prefix, (size_t)count) == 0;
        }

        static int fails(const char *call, int file) {
            char path[PATH_MAX];
            return find_path(file, path) && fails_at(call, path);
        }

        /* Returns the bytes of the files in a folder. */
        static long long used(const char *folder) {
            long long sum = 0;
            DIR *entries = opendir(folder);
            if (entries == NULL) return 0;
            for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
                struct stat status;
                if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
                if (S_ISREG(status.st_mode)) sum += status.st_size;
            }
            closedir(entries);
            return sum;
        }

        /* Returns 1 if the folder of the file has no room for a file of that length. */
        static int exceeds(int file, off_t end) {
            char text[PATH_MAX + 32];
            char path[PATH_MAX];
            char *folder;
            struct stat status;
            long count = control("quota", text, sizeof text - 1);
            if (count == 0 || fstat(file, &status) != 0) return 0;
            if (!S_ISREG(status.st_mode) || end <= status.st_size || !find_path(file, path)) return 0;
            text[count] = 0;
            long long limit = strtoll(text, &folder, 10);
            folder++;
            char *slash = strrchr(path, '/');
            if (slash == NULL) return 0;
            *slash = 0;
            if (strcmp(path, folder) != 0) return 0;
            int before = errno;
            /* A file without a name is not in the sum; that of its growth suffices. */
            int is_exceeded = used(folder) + (end - status.st_size) > limit;
            errno = before;
            return is_exceeded;
        }

        static int is_folder(int file) {
            struct stat status;
            return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
        }

        static int failure(void) {
            errno = EIO;
            return -1;
        }

        static int quota_failure(void) {
            errno = EDQUOT;
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
            if (fails("write", file)) return failure();
            /* Pipes and sockets have no position. */
            int before = errno;
            off_t offset = lseek(file, 0, SEEK_CUR);
            errno = before;
            if (offset >= 0 && exceeds(file, offset + (off_t)count)) return quota_failure();
            return syscall(SYS_write, file, bytes, count);
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
            if (fails("write", file)) return failure();
            if (exceeds(file, offset + (off_t)count)) return quota_failure();
            return syscall(SYS_pwrite64, file, bytes, count, offset);
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            return pwrite64(file, bytes, count, offset);
        }

        int posix_fallocate64(int file, off64_t offset, off64_t count) {
            if (exceeds(file, offset + count)) return EDQUOT;
            int (*reserve)(int, off64_t, off64_t);
            *(void **)&reserve = dlsym(RTLD_NEXT, "posix_fallocate64");
            return reserve == NULL ? ENOSYS : reserve(file, offset, count);
        }

        int posix_fallocate(int file, off_t offset, off_t count) { return posix_fallocate64(file, offset, count); }

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
