extension TaskRecord {
    /// The approximate memory size of the record, in bytes.
    package var approximateBytes: Int {
        var bytes = 512 + specification.task.count + specification.request.count + result.attempts.count
        bytes += (result.response?.count ?? 0) + (result.error?.count ?? 0) + labels.approximateBytes
        bytes += specification.callback?.count ?? 0
        if case .inline(let content) = result.body?.location { bytes += content.count }
        if case .json(let object) = result.object { bytes += object.count }
        return bytes
    }
}

extension StoredEvent {
    /// The approximate memory size of the event, in bytes.
    package var approximateBytes: Int { 256 + labels.approximateBytes + (detail?.count ?? 0) }
}

extension [String: String] {
    /// The approximate memory size of labels, in bytes.
    fileprivate var approximateBytes: Int {
        reduce(0) { $0 + 64 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
