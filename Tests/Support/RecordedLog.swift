import ErrandLocking
package import Logging

/// A log that records its lines.
package final class RecordedLog: Sendable {
    /// A line of the log.
    package struct Line: Sendable, Hashable {
        package var level: Logger.Level
        package var message: String
        package var metadata: [String: String]

        /// Creates a line.
        package init(level: Logger.Level, message: String, metadata: [String: String]) {
            self.level = level
            self.message = message
            self.metadata = metadata
        }

        /// Returns the value of a key.
        package subscript(key: String) -> String? { metadata[key] }
    }

    private struct State {
        var lines: [Line] = []
        /// The keys of values that are no texts, for each message.
        var numbers: [String: Set<String>] = [:]
        var waiters: [(message: String, continuation: Continuation<Line>)] = []
    }

    private let state = Mutex(State())

    /// Creates an empty log.
    package init() {}

    /// The lines, in order.
    package var lines: [Line] { state.withLock { $0.lines } }

    /// Returns the keys of the values that a log in JSON writes as numbers, in the lines with a message.
    package func numbers(of message: String) -> Set<String> {
        state.withLock { $0.numbers[message] ?? [] }
    }

    /// Returns the first line with a message; waits for it.
    package func line(_ message: String) async -> Line {
        await withContinuation { continuation in
            let line = state.withLock { state in
                let line = state.lines.first { $0.message == message }
                if line == nil { state.waiters.append((message, continuation)) }
                return line
            }
            if let line { continuation.resume(returning: line) }
        }
    }

    private func append(_ line: Line, numbers: Set<String>) {
        let woken = state.withLock { state in
            state.lines.append(line)
            state.numbers[line.message, default: []].formUnion(numbers)
            let woken = state.waiters.filter { $0.message == line.message }
            state.waiters.removeAll { $0.message == line.message }
            return woken
        }
        for waiter in woken { waiter.continuation.resume(returning: line) }
    }

    /// A logger of all levels that writes to it.
    package var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = Line(
                level: event.level, message: event.message.description, metadata: merged.mapValues(\.description))
            let numbers = merged.filter { if case .stringConvertible = $0.value { true } else { false } }
            log.append(line, numbers: Set(numbers.keys))
        }
    }
}
