import ErrandTransfer

/// The progress that an attempt shows, which may be that of more than its current transfer: a value that its owner
/// keeps under a lock.
struct ShownProgress: Sendable {
    /// Returns the progress that is shown, from that of a transfer; `nil` if it is the same.
    private var conversion: (@Sendable (TransferProgress) -> TransferProgress)?
    /// The progress that is shown from now on, whatever the transfers do; `nil` while they count.
    private var kept: TransferProgress?

    /// Shows what a closure returns for the progress of the transfer.
    mutating func convert(by conversion: @escaping @Sendable (TransferProgress) -> TransferProgress) {
        self.conversion = conversion
    }

    /// Shows this progress from now on, and releases the closure of ``convert(by:)``.
    mutating func keep(_ progress: TransferProgress) {
        kept = progress
        conversion = nil
    }

    /// Returns the progress that is shown for that of a transfer.
    ///
    /// Calls the closure of ``convert(by:)``, so not to be called under the lock.
    func progress(of transfer: @autoclosure () -> TransferProgress) -> TransferProgress {
        if let kept { return kept }
        let progress = transfer()
        return conversion?(progress) ?? progress
    }
}
