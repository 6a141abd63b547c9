import ErrandTransfer

/// The current hop of an attempt, and what is left of the last one: a value that its owner keeps under a lock.
struct CurrentHop: Sendable {
    /// The transfer; `nil` if no hop runs.
    private(set) var transfer: (any TransferControl)?
    /// The URL of the current hop, or of the last one; `nil` before the first.
    private(set) var url: HTTPURL?
    /// The progress of the last hop at its end.
    private(set) var lastProgress = TransferProgress()
    /// The timer that ends the hop if it is suspended for too long.
    var expiry: Task<Void, Never>?

    /// Begins a hop.
    mutating func begin(_ transfer: any TransferControl, of url: HTTPURL?) {
        self.transfer = transfer
        self.url = url
    }

    /// Ends the hop.
    ///
    /// - Returns: The transfer, to be released without the lock, as this may be its last reference; and the timer, to
    ///   be canceled.
    mutating func end() -> (transfer: (any TransferControl)?, expiry: Task<Void, Never>?) {
        defer { transfer = nil }
        // At once, so that no reader finds neither the transfer nor its progress.
        if let transfer { lastProgress = transfer.progress }
        return (transfer, takeExpiry())
    }

    /// Takes the timer, to be canceled.
    mutating func takeExpiry() -> Task<Void, Never>? {
        defer { expiry = nil }
        return expiry
    }
}
