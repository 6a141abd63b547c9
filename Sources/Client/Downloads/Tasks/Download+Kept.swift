import ErrandFiles
import ErrandLocking
import ErrandSessionCore

/// The part of a download that is kept: the partial file, and the record of what it has.
extension Download {
    /// Returns the resume data with the bytes that are on the medium; `nil` if there is nothing to resume.
    func snapshot() -> DownloadResumeData? {
        let (file, data, rest) = state.withLock { ($0.file, $0.dataToResume, untouched(in: $0) ?? $0.resumeData) }
        guard let file, let data else { return rest }
        do throws(SystemFailure) {
            try file.synchronize()
            return data
        } catch {
            // The bytes may be lost, so they cannot be resumed.
            return nil
        }
    }

    /// The data with which the download began, if its partial file was not touched yet; otherwise `nil`.
    private func untouched(in state: DownloadState) -> DownloadResumeData? {
        state.file == nil && state.mustReopen ? given : nil
    }

    /// Keeps or removes the partial file, after the end of the task.
    func settle(after error: SessionError?) {
        let (file, data) = state.withLock { ($0.file, $0.keeps(after: error) ? $0.dataToResume : nil) }
        var kept: DownloadResumeData?
        if let file {
            // On a disk that is short, nothing runs until there is room: not even the attempt that would continue it.
            let mayKeep = error?.code != .diskFull || file.leavesFreeSpace
            kept = data == nil || !mayKeep ? nil : snapshot()
            if kept == nil { file.remove() } else { file.giveReservedSpaceBack() }
        } else {
            kept = state.withLock { untouched(in: $0) }
        }
        if file != nil || kept == nil { record(kept) }
        state.withLock { state in
            // The attempt refers to its control, which refers to this download.
            state.connections = PartConnections()
            state.file = nil
            state.resumeData = kept
        }
    }

    /// Records from time to time which bytes of a file with parts are written, so that they are known after a crash.
    func recordParts(_ bytes: Int) {
        guard let place else { return }
        let data = state.withLock { state -> DownloadResumeData? in
            guard let total = state.parts?.total, state.connections.countWritten(bytes, of: total) else { return nil }
            return state.dataToResume
        }
        guard let data else { return }
        // A record that cannot be written leaves the last one, which knows of fewer bytes.
        try? place.record(data, hasRanges: true, synchronized: nil)
    }

    /// Records that the bytes of the partial file are on the medium, or removes the record.
    private func record(_ kept: DownloadResumeData?) {
        guard let place else { return }
        do throws(SystemFailure) {
            let hasRanges = state.withLock { $0.hasStrayBytes }
            guard let kept else { return try place.forget() }
            try place.record(kept, hasRanges: hasRanges, synchronized: kept.received)
        } catch {
            // The earlier record stays valid: it is of the same content, or of a file that is gone.
        }
    }
}
