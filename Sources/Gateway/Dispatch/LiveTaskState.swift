package import TaskAdmission
package import Transfer

/// What is known of a task beside what is stored: it changes without a revision.
package struct LiveTaskState: Sendable, Hashable {
    /// How far the transfer of its attempt is; `nil` when none has begun.
    package var progress: TransferProgress?
    /// What it waits for; `nil` when nothing holds it.
    package var hold: TaskHold?

    /// Creates what is known; nothing by default.
    package init(progress: TransferProgress? = nil, hold: TaskHold? = nil) {
        // Nothing was done and nothing is known: what is stored says more.
        self.progress = progress == TransferProgress() ? nil : progress
        self.hold = hold
    }
}
