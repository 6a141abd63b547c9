/// A receiver of the response of one transfer.
///
/// All calls come one at a time from the transport's thread and must return quickly without blocking.
public protocol TransferReceiver: AnyObject, Sendable {
    /// Called when the transfer has begun; `control` stays valid after its end, when it does nothing.
    func transferDidStart(_ control: any TransferControl)

    /// Called when the response head has come; informational ones (1xx) are not reported.
    ///
    /// - Returns: The decision whether to continue: ``HeadDecision/stop(_:)`` closes the connection and ends the
    ///   transfer with the given error.
    func transferDidReceive(_ head: ResponseHead) -> HeadDecision

    /// Called with decoded content, which is valid only during the call and counts as consumed when it returns.
    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision
}

/// A receiver's answer to a response head.
public enum HeadDecision: Sendable {
    /// Continue with the content.
    case proceed
    /// End the transfer with this error.
    case stop(TransferError)
}

/// A receiver's answer to content.
public enum ReceiveDecision: Sendable {
    /// The bytes were consumed; more may come.
    case more
    /// The bytes were consumed; no more may come until ``TransferControl/resumeReceiving()`` is called.
    case pause
    /// End the transfer with this error.
    case stop(TransferError)
}
