import Foundation
import Locking
import Support

/// A program that runs beside the test and says in its output when it is ready.
final class WatchedProcess: Sendable {
    /// The program ended, or closed its output, without having said so.
    struct NotReady: Error {
        /// What it said instead.
        var output: String
    }

    private let process = Process()

    /// Starts a program and waits until a line of its output or errors contains `mark`.
    ///
    /// - Returns: The program, and that line.
    static func start(
        _ program: String, _ arguments: [String], until mark: String
    ) async throws -> (process: WatchedProcess, line: String) {
        let watched = WatchedProcess()
        let output = Pipe()
        watched.process.executableURL = URL(fileURLWithPath: program)
        watched.process.arguments = arguments
        watched.process.standardInput = FileHandle.nullDevice
        watched.process.standardOutput = output
        watched.process.standardError = output
        let ready = Signal<String?>()
        let text = Mutex("")
        // A thread that blocks, and no dispatch source: closing a descriptor that libdispatch watches can crash it.
        let reading = output.fileHandleForReading
        BlockingThread.run {
            while true {
                let bytes = reading.availableData
                guard !bytes.isEmpty else { return ready.send(nil) }
                let lines = text.withLock { text in
                    text += String(decoding: bytes, as: UTF8.self)
                    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                }
                if let line = lines.first(where: { $0.contains(mark) }) { ready.send(String(line)) }
            }
        }
        try watched.process.run()
        guard let line = await ready.wait() else {
            watched.stop()
            throw NotReady(output: text.withLock { $0 })
        }
        return (watched, line)
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its exit status.
    static func run(_ program: String, _ arguments: [String]) async throws -> Int32 {
        let ended = Signal<Int32>()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { ended.send($0.terminationStatus) }
        try process.run()
        return await ended.wait()
    }

    /// Ends the program, without asking: it has inherited the signal mask of a thread that blocks what asks.
    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}

/// A folder for the files of one test's servers.
struct ScratchFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var path: String { url.path }

    /// The path of a file in it.
    func file(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    /// Removes the folder; it is in nobody's way if that fails.
    func remove() {
        _ = try? FileManager.default.removeItem(at: url)
    }
}
