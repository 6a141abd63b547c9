import Foundation
import Locking
import Support

/// A program that runs beside the test.
///
/// What it writes can be waited for, line by line, and so can its end.
final class ChildProcess: Sendable {
    /// How a process ended.
    struct Exit: Sendable, Equatable, CustomStringConvertible {
        /// The exit status, or the number of the signal that ended it.
        var code: Int32
        /// A signal has ended it.
        var isSignal: Bool

        var description: String { isSignal ? "signal \(code)" : "status \(code)" }

        static func status(_ code: Int32) -> Exit { Exit(code: code, isSignal: false) }
        static func signal(_ code: Int32) -> Exit { Exit(code: code, isSignal: true) }
    }

    /// The output ended without the line that was waited for.
    struct Ended: Error, CustomStringConvertible {
        var description: String
    }

    /// Its standard output, as far as it has come.
    let output: LineReader
    /// Its standard error, as far as it has come.
    let errors: LineReader
    private let process: Process
    private let end = Signal<Exit>()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: Its path.
    ///   - environment: Variables besides the test's own.
    ///   - directory: Where it runs; the test's own by default.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], directory: String? = nil
    ) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardInput = FileHandle.nullDevice
        let pipes = (output: Pipe(), errors: Pipe())
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        process.terminationHandler = { [end] process in
            end.send(Exit(code: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal))
        }
        output = LineReader(pipes.output.fileHandleForReading)
        errors = LineReader(pipes.errors.fileHandleForReading)
        try process.run()
    }

    deinit {
        if process.isRunning { kill(SIGKILL) }
    }

    /// The process's number.
    var id: Int32 { process.processIdentifier }

    /// Sends a signal.
    func kill(_ signal: Int32) {
        Glibc.kill(id, signal)
    }

    /// Waits for the end; a test that is cancelled, because its time is over, brings it about.
    func exit() async -> Exit {
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for a line of standard error; a test that is cancelled ends the process.
    func logLine(containing text: String) async throws -> String {
        try await withTaskCancellationHandler {
            try await errors.line(containing: text)
        } onCancel: {
            kill(SIGKILL)
        }
    }

    /// Waits for the end and for everything that it has written.
    func result() async -> (exit: Exit, output: String, errors: String) {
        let exit = await exit()
        return (exit, await output.all(), await errors.all())
    }

    /// The most memory that it has had in RAM, in bytes (`VmHWM` of proc(5)).
    func peakMemoryBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Ended(description: "no VmHWM of process \(id)")
        }
        return kibibytes * 1024
    }
}

/// Reads the lines of a pipe as they come, on a thread of its own.
final class LineReader: Sendable {
    private let events = EventLog<String?>()
    private let rest = Mutex<[UInt8]>([])

    init(_ pipe: FileHandle) {
        BlockingThread.run { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                // The pipe is held here, and closed when the thread ends.
                let count = read(pipe.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                take(Array(buffer.prefix(max(count, 0))))
                if count <= 0 { return }
            }
        }
    }

    /// Nothing is the end.
    private func take(_ bytes: [UInt8]) {
        let lines = rest.withLock { rest -> [String?] in
            rest += bytes
            var lines: [String?] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            guard bytes.isEmpty else { return lines }
            return lines + (rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)]) + [nil]
        }
        for line in lines { events.append(line) }
    }

    /// Waits for a line that contains `text`.
    func line(containing text: String) async throws -> String {
        var count = 0
        while true {
            count += 1
            guard let line = await events.first(count)[count - 1] else {
                throw ChildProcess.Ended(description: "no line with \"\(text)\" in: \(await all())")
            }
            if line.contains(text) { return line }
        }
    }

    /// Waits for the end; everything until then.
    func all() async -> String {
        var count = 0
        while true {
            count += 1
            let lines = await events.first(count)
            if lines[count - 1] == nil { return lines.compactMap { $0 }.map { "\($0)\n" }.joined() }
        }
    }
}
