import ErrandBodyFiles
import ErrandDownloads
import ErrandFiles
import ErrandLocking

/// The place of the incomplete file of a download that becomes the body of its task, with the record by which it is
/// resumed.
final class BodyDownloadPlace: KeptBodyPlace {
    private let key: String
    private let folder: DownloadFolder
    private let state = Mutex(State())

    private struct State {
        /// The open place; `nil` until content goes into a file.
        var place: PartialPlace?
        /// The description of the content that is about to go into a new file.
        var content: DownloadResumeData?
        /// The file of other content, which the new file replaces.
        var replaced: KeptBody?
        /// True if what an earlier attempt has left was opened, or is replaced.
        var isTouched = false
    }

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - key: The key of the download.
    ///   - folder: The folder of the partial files.
    init(of key: String, in folder: DownloadFolder) {
        self.key = key
        self.folder = folder
    }

    /// Returns true if the end of the attempt decides about what is in the place.
    ///
    /// What a failed attempt has neither opened nor replaced stays for the next one.
    func mustSettle(afterSuccess isSuccess: Bool) -> Bool {
        state.withLock { $0.isTouched || isSuccess && $0.place != nil }
    }

    /// Opens the place, and finds what an earlier attempt has left; blocks.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - earlierKey: The key of a download that has ended, whose file this one takes if it has none; `nil` for none.
    /// - Returns: The data from which the download is resumed; `nil` if it begins at the first byte.
    func open(for url: String, continuing earlierKey: String?) throws(SystemFailure) -> DownloadResumeData? {
        let place = try PartialPlace(of: key, in: folder)
        if let earlierKey { place.takeOver(from: earlierKey) }
        state.withLock { $0.place = place }
        return place.resumeData(for: url)
    }

    /// Sets the content for which the next file is created, without the path of the file.
    func expect(_ content: DownloadResumeData) {
        state.withLock { $0.content = content }
    }

    /// Records that what an earlier attempt has left was opened, so that its end decides about it.
    func touch() {
        state.withLock { $0.isTouched = true }
    }

    /// Sets the file of other content, which is removed before the next one is created, or at the end.
    func replace(_ kept: KeptBody) {
        state.withLock { $0.replaced = kept }
    }

    /// Removes the file and the record of other content, and records the content of the new file.
    func prepare() throws(SystemFailure) -> String {
        let (open, content, replaced) = state.withLock { state in
            defer { state.replaced = nil }
            return (state.place, state.content, state.replaced)
        }
        replaced?.remove()
        let place = if let open { open } else { try PartialPlace(of: key, in: folder) }
        state.withLock { state in
            state.place = place
            state.isTouched = true
        }
        // The record of other content must not outlive that content, nor be followed by that of new content while it
        // is still there.
        try place.clear()
        if let content { try place.record(content, synchronized: nil) }
        return place.path
    }

    /// Leaves a file to the next attempt, with its bytes on the medium, or removes what there is; blocks.
    ///
    /// - Parameters:
    ///   - kept: The file; `nil` to leave none.
    ///   - data: The description of its content; `nil` if it cannot be resumed.
    func settle(_ kept: KeptBody?, _ data: DownloadResumeData?) {
        let (place, replaced) = state.withLock { ($0.place, $0.replaced) }
        guard let place else { return }
        replaced?.remove()
        do throws(SystemFailure) {
            guard let kept, let data else {
                kept?.remove()
                return place.remove()
            }
            try kept.keep()
            try place.record(data, synchronized: kept.size)
        } catch {
            // The bytes may be lost. A record that could not be replaced is of the same content, or of a file that is
            // gone.
        }
    }
}
