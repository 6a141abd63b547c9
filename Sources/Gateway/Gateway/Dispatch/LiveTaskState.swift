package import ErrandTaskAdmission
package import ErrandTransfer

/// The part of a task's state that is not stored and changes without a new revision.
package struct LiveTaskState: Sendable, Hashable {
    /// The progress of the current transfer; `nil` if none has begun.
    package var progress: TransferProgress?
    /// The reason why the task waits; `nil` if nothing delays it.
    package var waitReason: WaitReason?

    /// Creates a state; empty by default.
    package init(progress: TransferProgress? = nil, waitReason: WaitReason? = nil) {
        // An empty progress says less than the stored result.
        self.progress = progress == TransferProgress() ? nil : progress
        self.waitReason = waitReason
    }
}
