import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// The content of a request that has not arrived, in the place of the content that an attempt sends.
final class AwaitedContent: BodySource {
    /// True if the content is passed on to the upstream as it arrives, instead of being stored first.
    let isPassedOn: Bool

    init(isPassedOn: Bool) {
        self.isPassedOn = isPassedOn
    }

    /// Unknown.
    var length: Int64? { nil }

    /// Fails: no attempt begins before the content is complete.
    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        .failed(TransferError(.transportError, "The content of the request has not arrived"))
    }

    /// Does nothing: no byte was read.
    func rewind() -> Bool { true }
}

extension TaskRecord.Values {
    /// Makes the task wait for its content, for ``UploadTaskHandler/patience`` from a moment.
    mutating func awaitContent(from now: Timestamp) {
        content = .awaited(until: now.adding(UploadTaskHandler.patience))
        if state == .queued { state = .scheduled }
    }
}

extension TaskRecord {
    /// Returns the new task without its content, for which it waits.
    @inline(never)
    func awaitingContent() -> TaskRecord {
        var record = self
        record.change { $0.awaitContent(from: $0.createdAt) }
        return record
    }

    /// True if the task waits for content that its client sends separately.
    package var awaitsContent: Bool { content?.awaitedUntil != nil && life.isPending }
}
