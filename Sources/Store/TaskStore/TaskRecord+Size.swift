extension TaskRecord {
    /// The approximate memory size of the record, in bytes.
    package var approximateBytes: Int {
        var bytes = 512 + specification.task.count + specification.request.count + result.attempts.count
        bytes += (result.response?.count ?? 0) + (result.error?.count ?? 0) + labels.count * 64
        if case .inline(let content) = result.body?.location { bytes += content.count }
        if case .json(let object) = result.object { bytes += object.count }
        return bytes
    }
}
