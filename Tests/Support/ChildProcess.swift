import Foundation
import Glibc
import Locking

/// A program that runs beside the test.
///
/// What it writes can be waited for, line by line, and so can its end.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package struct Exit: Sendable, Equatable, CustomStringConvertible {
        /// The exit status, or the number of the signal that ended it.
        package var code: Int32
        /// A signal has ended it.
        package var isSignal: Bool

        package var description: String { isSignal ? "signal \(code)" : "status \(code)" }

        package static func status(_ code: Int32) -> Exit { Exit(code: code, isSignal: false) }
        package static func signal(_ code: Int32) -> Exit { Exit(code: code, isSignal: true) }
    }

    /// What a program reads from its standard input.
    package enum Input: Sendable {
        /// Nothing: the end is there at once.
        case none
        /// Nothing, but the end comes only with that of this object, or of the test's process however that ends: by it
        /// a server knows when it is no longer needed.
        case untilOwnEnd
    }

    /// Whether the process's number is still its own.
    private final class Life: Sendable {
        private let isRunning = Mutex(true)

        func whileRunning(_ action: () -> Void) {
            isRunning.withLock { if $0 { action() } }
        }

        func end() {
            isRunning.withLock { $0 = false }
        }
    }

    /// The output ended without the line that was waited for.
    package struct Ended: Error, CustomStringConvertible {
        package var description: String
    }

    /// Its standard output, as far as it has come.
    package let output: LineReader
    /// Its standard error, as far as it has come.
    package let errors: LineReader
    /// The process's number.
    package let id: Int32
    private let end = Signal<Exit>()
    private let life = Life()
    /// What the process reads from; its end comes when this is closed.
    private let input: FileHandle?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: Its path.
    ///   - environment: Variables besides the test's own.
    ///   - directory: Where it runs; the test's own by default.
    ///   - input: What it reads. Default: nothing.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], directory: String? = nil,
        input: Input = .none
    ) throws {
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        output = LineReader(pipes.output.fileHandleForReading)
        errors = LineReader(pipes.errors.fileHandleForReading)
        self.input = input == .untilOwnEnd ? pipes.input.fileHandleForWriting : nil
        // Not Foundation's own way to start one: it reads beyond a buffer where many descriptors are open.
        id = try Spawn(
            executable: executable, arguments: arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, directory: directory,
            input: pipes.input.fileHandleForReading.fileDescriptor,
            output: pipes.output.fileHandleForWriting.fileDescriptor,
            errors: pipes.errors.fileHandleForWriting.fileDescriptor
        ).start()
        BlockingThread.run { [id, end, life] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            // Its number may be another's as soon as it is reaped.
            life.end()
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            end.send(status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F))
        }
    }

    deinit {
        kill(SIGKILL)
    }

    /// Sends a signal; nothing when the process has ended.
    package func kill(_ signal: Int32) {
        life.whileRunning { Glibc.kill(id, signal) }
    }

    /// Waits for the end; a test that is cancelled, because its time is over, brings it about.
    package func exit() async -> Exit {
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for a line of standard error; a test that is cancelled ends the process.
    package func logLine(containing text: String) async throws -> String {
        try await withTaskCancellationHandler {
            try await errors.line(containing: text)
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for the end and for everything that it has written.
    package func result() async -> (exit: Exit, output: String, errors: String) {
        let exit = await exit()
        return (exit, await output.all(), await errors.all())
    }

    /// The most memory that it has had in RAM, in bytes (`VmHWM` of proc(5)).
    package func peakMemoryBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Ended(description: "no VmHWM of process \(id)")
        }
        return kibibytes * 1024
    }
}
