import ErrandTransfer

/// A transfer receiver that ignores everything but the outcome.
final class NoReceiver: TransferReceiver {
    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { .more }
}
