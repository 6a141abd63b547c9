import ErrandSupport
import Foundation

/// A wall clock that a test sets while a program runs.
///
/// A library, loaded with `LD_PRELOAD`, adds seconds to the system's clock. The monotonic clocks are unaffected, as
/// when an administrator or NTP sets the clock.
struct WallClock {
    private let library: String
    private let file: String

    /// Builds the library into a folder; the clock begins with the system's time.
    init(in folder: TemporaryFolder) async throws {
        library = folder["wall-clock.so"]
        file = folder["wall-clock"]
        let source = try folder.write(Self.source, to: "wall-clock.c")
        try await CCompiler.build(["-O2", "-shared", "-fPIC", "-o", library, source])
        try Data(repeating: 0, count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: file))
    }

    /// The environment variables of a program that uses this clock.
    var environment: [String: String] { ["LD_PRELOAD": library, "ERRAND_TEST_WALL_CLOCK": file] }

    /// Sets the clock to the system's time plus some seconds, at once for each program that uses it.
    func set(_ seconds: Int64) throws {
        // Written in place: the programs have mapped this file, not its name.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try withUnsafeBytes(of: seconds) { try handle.write(contentsOf: Data($0)) }
        try handle.close()
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static const volatile int64_t none;
        static const volatile int64_t *seconds = &none;

        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("ERRAND_TEST_WALL_CLOCK");
            int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0) return;
            void *map = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
            if (map != MAP_FAILED) seconds = map;
            close(file);
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int code = (int)syscall(SYS_clock_gettime, clock, time);
            if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *seconds;
            return code;
        }

        int gettimeofday(struct timeval *time, void *zone) {
            (void)zone;
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result != NULL) *result = now.tv_sec;
            return now.tv_sec;
        }
        """
}
