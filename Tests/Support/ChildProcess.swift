import ErrandLocking
import Foundation
import Glibc

/// A program that runs concurrently with the test.
///
/// Tests can wait for its output, line by line, and for its end.
package final class ChildProcess: Sendable {
    /// The way in which a process ended.
    package struct Exit: Sendable, Equatable, CustomStringConvertible {
        /// The exit status, or the number of the signal that ended it.
        package var code: Int32
        /// True if a signal ended it.
        package var isSignal: Bool

        package var description: String { isSignal ? "signal \(code)" : "status \(code)" }

        package static func status(_ code: Int32) -> Exit { Exit(code: code, isSignal: false) }
        package static func signal(_ code: Int32) -> Exit { Exit(code: code, isSignal: true) }
    }

    /// The standard input of a program.
    package enum Input: Sendable {
        /// Empty: the input ends immediately.
        case none
        /// Empty, but open until this object is destroyed or the test's process ends in any way.
        ///
        /// The end of its input tells a server that it is no longer needed.
        case untilOwnEnd
    }

    /// Tracks if the number of the process is still valid.
    private final class Life: Sendable {
        private let isRunning = Mutex(true)

        func whileRunning(_ action: () -> Void) {
            isRunning.withLock { if $0 { action() } }
        }

        func end() {
            isRunning.withLock { $0 = false }
        }
    }

    /// The output ended without the expected line.
    package struct Ended: Error, CustomStringConvertible {
        package var description: String
    }

    /// The standard output so far.
    package let output: LineReader
    /// The standard error so far.
    package let errors: LineReader
    /// The process's number.
    package let id: Int32
    private let end = Signal<Exit>()
    private let life = Life()
    /// The input of the process, which ends when this handle is closed.
    private let input: FileHandle?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The path of the program.
    ///   - environment: Variables in addition to the test's own.
    ///   - directory: The working directory; the test's own by default.
    ///   - input: The standard input. Default: empty.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], directory: String? = nil,
        input: Input = .none
    ) throws {
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        output = LineReader(pipes.output.fileHandleForReading)
        errors = LineReader(pipes.errors.fileHandleForReading)
        self.input = input == .untilOwnEnd ? pipes.input.fileHandleForWriting : nil
        // Foundation's `Process` reads beyond a buffer if many descriptors are open.
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
            // After it is reaped, the system may reuse its number.
            life.end()
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            end.send(status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F))
        }
    }

    deinit {
        kill(SIGKILL)
    }

    /// Sends a signal; no-op if the process has ended.
    package func kill(_ signal: Int32) {
        life.whileRunning { Glibc.kill(id, signal) }
    }

    /// Waits for the end.
    ///
    /// If the test is canceled by its time limit, the process is killed.
    package func exit() async -> Exit {
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for a line of standard error.
    ///
    /// If the test is canceled, the process is killed.
    package func logLine(containing text: String) async throws -> String {
        try await withTaskCancellationHandler {
            try await errors.line(containing: text)
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for the end and for the complete output.
    package func result() async -> (exit: Exit, output: String, errors: String) {
        let exit = await exit()
        return (exit, await output.all(), await errors.all())
    }

    /// Returns the peak memory in RAM, in bytes (`VmHWM` of proc(5)).
    package func peakMemoryBytes() throws -> Int { try memoryBytes("VmHWM") }

    /// Returns the memory in RAM, in bytes (`VmRSS` of proc(5)).
    package func residentMemoryBytes() throws -> Int { try memoryBytes("VmRSS") }

    private func memoryBytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Ended(description: "no \(name) of process \(id)")
        }
        return kibibytes * 1024
    }

    /// Returns the processor time of all threads, to a hundredth of a second (`utime` and `stime` of proc(5)).
    package func processorTime() throws -> Duration {
        let line = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        // The name, in parentheses, may contain blanks; the state follows it, then 10 unrelated fields.
        let fields = line.suffix(from: line.lastIndex(of: ")") ?? line.startIndex).split(separator: " ")
        guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
            throw Ended(description: "no utime and stime of process \(id)")
        }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }
}
