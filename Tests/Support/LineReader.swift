import Dispatch
import ErrandLocking
import Foundation

/// Reads the lines of a pipe as they arrive, on its own thread.
package final class LineReader: Sendable {
    private let events = EventLog<String?>()
    private let rest = Mutex<[UInt8]>([])
    /// Locked while reading is paused.
    private let gate = DispatchSemaphore(value: 1)

    init(_ pipe: FileHandle) {
        BlockingThread.run { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                gate.wait()
                gate.signal()
                // The thread owns the pipe, which is closed when the thread ends.
                let count = read(pipe.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                take(Array(buffer.prefix(max(count, 0))))
                if count <= 0 { return }
            }
        }
    }

    /// Adds bytes; an empty array marks the end.
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

    /// Pauses reading while `body` runs, so that the pipe fills up.
    ///
    /// A read that is already waiting still takes the next bytes.
    package func withoutReading<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        gate.wait()
        defer { gate.signal() }
        return try await body()
    }

    /// Waits for a line that contains `text`.
    package func line(containing text: String) async throws -> String {
        var count = 0
        while true {
            count += 1
            guard let line = await events.first(count)[count - 1] else {
                throw ChildProcess.Ended(description: "no line with \"\(text)\" in: \(await all())")
            }
            if line.contains(text) { return line }
        }
    }

    /// Waits for the end, and returns everything until then.
    package func all() async -> String {
        var count = 1
        while true {
            let lines = await events.first(count)
            if lines[count - 1] == nil { return lines.compactMap { $0 }.map { "\($0)\n" }.joined() }
            // The end is the last event.
            count = max(count + 1, events.events.count)
        }
    }
}
