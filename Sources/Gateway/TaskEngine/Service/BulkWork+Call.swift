/// The requests of bulk work.
extension BulkWork {
    /// The action on each task.
    package enum Action: String, Sendable, CaseIterable {
        case cancel
        case suspend
        case resume
        case runNow = "run-now"
        case retry
        case delete
    }

    /// A bulk request.
    package struct Call: Sendable, Hashable {
        var action: Action
        var filter: BulkFilter
        /// True if tasks that were already retried are retried again.
        var again: Bool
        /// The most tasks that the request selects, the newest of the filter or the first of the identifiers; `nil` for
        /// all.
        var limit: Int?
        /// True if the selected tasks are only counted.
        package var isDryRun: Bool

        /// True if the order in which the tasks are changed determines that in which they run.
        var determinesOrder: Bool { !isDryRun && (action == .retry || action == .runNow) }

        /// Creates a request.
        package init(
            _ action: Action, on filter: BulkFilter, again: Bool = false, limit: Int? = nil, isDryRun: Bool = false
        ) {
            self.action = action
            self.filter = filter
            self.again = again
            self.limit = limit
            self.isDryRun = isDryRun
        }

        /// Returns true if a client that sends both means the same request, even if a relative time has moved.
        func isSameRequest(as other: Call) -> Bool {
            var (this, that) = (self, other)
            this.filter = filter.withoutRelativeMoments
            that.filter = other.filter.withoutRelativeMoments
            return this == that
        }
    }
}
