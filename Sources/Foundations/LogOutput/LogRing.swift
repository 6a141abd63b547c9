private import DequeModule

/// A bounded queue of log lines that wait to be written.
///
/// If a line does not fit, the oldest ordinary lines are dropped for it; audit lines are dropped only for audit lines.
/// Dropped lines are counted until ``takeLosses()`` resets the counts.
package struct LogRing: Sendable {
    /// The importance of a line, which determines the lines that are dropped first.
    package enum Importance: Sendable, Hashable {
        /// A line that is dropped first.
        case ordinary
        /// A line of the audit log, which is dropped only if no ordinary line is left.
        case audit
    }

    /// The numbers of dropped lines.
    package struct Losses: Sendable, Hashable {
        /// The number of ordinary lines.
        package var ordinary: Int
        /// The number of audit lines.
        package var audit: Int

        /// Creates a count.
        package init(ordinary: Int = 0, audit: Int = 0) {
            self.ordinary = ordinary
            self.audit = audit
        }

        /// True if no line was dropped.
        package var isEmpty: Bool { ordinary == 0 && audit == 0 }

        /// Counts a line.
        package mutating func count(_ importance: Importance) {
            switch importance {
            case .ordinary: ordinary += 1
            case .audit: audit += 1
            }
        }

        /// Adds the numbers of another count.
        package mutating func add(_ other: Losses) {
            ordinary += other.ordinary
            audit += other.audit
        }
    }

    /// The oldest lines, which are written together.
    package struct Batch: Sendable, Hashable {
        /// The bytes of the lines.
        package var bytes: [UInt8]
        /// The ends of the lines in ``bytes``, with their importance.
        package var lines: [Line]

        /// One line of a batch.
        package struct Line: Sendable, Hashable {
            /// The number of bytes before the next line.
            package var end: Int
            /// Its importance.
            package var importance: Importance
        }

        /// Returns the lines that are incomplete if only the first `count` bytes were written.
        package func lost(after count: Int) -> Losses {
            var losses = Losses()
            for line in lines where line.end > count { losses.count(line.importance) }
            return losses
        }
    }

    private struct Entry: Sendable {
        /// The sequence number among all lines.
        var number: UInt64
        var bytes: [UInt8]
    }

    /// The lines of one importance, the oldest first.
    private struct Lines: Sendable {
        private var entries: Deque<Entry> = []
        /// The bytes of the lines, including ``overheadBytes`` for each.
        private(set) var bytes = 0

        var isEmpty: Bool { entries.isEmpty }

        var first: Entry? { entries.first }

        mutating func append(_ entry: Entry) {
            entries.append(entry)
            bytes += LogRing.size(entry.bytes)
        }

        mutating func removeFirst() {
            guard let removed = entries.popFirst() else { return }
            bytes -= LogRing.size(removed.bytes)
        }
    }

    /// The most bytes in the queue, including ``overheadBytes`` for each line.
    package let limitBytes: Int
    /// The approximate memory of a line besides its bytes.
    package static let overheadBytes = 64

    private var ordinary = Lines()
    private var audit = Lines()
    private var nextNumber: UInt64 = 0
    private var losses = Losses()

    /// Creates an empty ring.
    package init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// True if the queue is empty.
    package var isEmpty: Bool { ordinary.isEmpty && audit.isEmpty }

    /// True if lines were dropped since the last ``takeLosses()``.
    package var hasLosses: Bool { !losses.isEmpty }

    /// Appends a line with its line feed; the line itself is dropped if the queue contains only more important ones.
    package mutating func append(_ line: [UInt8], as importance: Importance) {
        let size = Self.size(line)
        let untouchable = importance == .audit ? 0 : audit.bytes
        guard untouchable + size <= limitBytes else { return losses.count(importance) }
        while ordinary.bytes + audit.bytes + size > limitBytes {
            let dropped: Importance = ordinary.isEmpty ? .audit : .ordinary
            removeFirst(dropped)
            losses.count(dropped)
        }
        let entry = Entry(number: nextNumber, bytes: line)
        nextNumber += 1
        switch importance {
        case .ordinary: ordinary.append(entry)
        case .audit: audit.append(entry)
        }
    }

    /// Takes the oldest lines: as many whole lines as fit into `maxBytes`, but at least one.
    ///
    /// - Returns: `nil` if the queue is empty.
    package mutating func take(maxBytes: Int) -> Batch? {
        var batch = Batch(bytes: [], lines: [])
        while let (next, importance) = first, batch.bytes.isEmpty || batch.bytes.count + next.bytes.count <= maxBytes {
            batch.bytes += next.bytes
            batch.lines.append(Batch.Line(end: batch.bytes.count, importance: importance))
            removeFirst(importance)
        }
        return batch.lines.isEmpty ? nil : batch
    }

    /// Removes the oldest line of an importance.
    private mutating func removeFirst(_ importance: Importance) {
        switch importance {
        case .ordinary: ordinary.removeFirst()
        case .audit: audit.removeFirst()
        }
    }

    /// The oldest line.
    private var first: (Entry, Importance)? {
        switch (ordinary.first, audit.first) {
        case (let line?, let record?): line.number < record.number ? (line, .ordinary) : (record, .audit)
        case (let line?, nil): (line, .ordinary)
        case (nil, let record?): (record, .audit)
        case (nil, nil): nil
        }
    }

    /// Adds lines that were taken and could not be written to the losses.
    package mutating func addLosses(_ more: Losses) {
        losses.add(more)
    }

    /// Returns and resets the numbers of dropped lines.
    package mutating func takeLosses() -> Losses {
        defer { losses = Losses() }
        return losses
    }

    private static func size(_ line: [UInt8]) -> Int {
        line.count + overheadBytes
    }
}
