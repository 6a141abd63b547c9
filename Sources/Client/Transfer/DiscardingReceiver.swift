/// A transfer receiver that ignores everything but the outcome.
package final class DiscardingReceiver: TransferReceiver {
    private let decision: ReceiveDecision

    /// Creates a receiver.
    ///
    /// - Parameter decision: The answer to content.
    package init(answering decision: ReceiveDecision = .more) {
        self.decision = decision
    }

    package func transferDidStart(_ control: any TransferControl) {}

    package func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    package func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { decision }
}
