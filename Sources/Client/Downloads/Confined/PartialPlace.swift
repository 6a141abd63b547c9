package import ErrandFiles
import ErrandSessionCore
import Glibc

/// The place of the partial file of one download, with the record by which it is resumed.
///
/// Its calls block; one thread at a time.
package final class PartialPlace: Sendable {
    private let folder: OpenFolder
    /// The path of the partial file, valid as long as this object lives.
    package let path: String
    private let recordPath: String
    /// The path of a record until it is complete.
    private let newRecordPath: String
    private let key: String
    /// The free space on the disk that the file leaves, in bytes; 0 for no minimum.
    let minFreeBytes: Int64

    /// The folder, which a class can hold.
    private final class OpenFolder: Sendable {
        let folder: ConfinedFolder

        init(_ folder: consuming ConfinedFolder) { self.folder = folder }
    }

    /// Opens the place.
    ///
    /// - Parameters:
    ///   - key: The key of the download: letters, digits and hyphens.
    ///   - downloads: The folder of downloads.
    package convenience init(of key: String, in downloads: DownloadFolder) throws(SystemFailure) {
        self.init(of: key, OpenFolder(try downloads.openPartials()), minFreeBytes: downloads.minFreeBytes)
    }

    /// Opens the place of a download that has begun.
    ///
    /// - Throws: No download has begun in the folder.
    convenience init(existing key: String, in downloads: DownloadFolder) throws(SystemFailure) {
        self.init(
            of: key,
            OpenFolder(try ConfinedFolder(own: DownloadFolder.partialsName, below: downloads.path, isCreated: false)),
            minFreeBytes: downloads.minFreeBytes)
    }

    private init(of key: String, _ folder: OpenFolder, minFreeBytes: Int64) {
        let paths = Self.paths(of: key, in: folder.folder.path())
        self.folder = folder
        self.key = key
        path = paths.content
        recordPath = paths.record
        newRecordPath = paths.record + Self.newSuffix
        self.minFreeBytes = minFreeBytes
    }

    // MARK: Names

    private static let contentSuffix = ".part"
    private static let recordSuffix = ".resume"

    /// Returns the paths of a partial file and of its record.
    static func paths(of key: String, in folder: String) -> (content: String, record: String) {
        ("\(folder)/\(key)\(contentSuffix)", "\(folder)/\(key)\(recordSuffix)")
    }

    /// Returns the key of the download to which a file belongs; `nil` for other files.
    static func key(ofFile name: String) -> String? {
        for suffix in [contentSuffix, recordSuffix, recordSuffix + newSuffix] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return nil
    }

    private static let newSuffix = ".new"

    /// Returns a text in which the path of the partial file is relative to the folder of downloads.
    func shown(_ text: String) -> String {
        text.replacing(path, with: Self.paths(of: key, in: DownloadFolder.partialsName).content)
    }

    // MARK: The file

    /// Creates the partial file, instead of one that cannot be resumed.
    func create() throws(SystemFailure) -> PartialFile {
        try clear()
        return try PartialFile(creating: path, minFreeBytes: minFreeBytes)
    }

    /// Returns the data from which the download is resumed; `nil` if it begins at the first byte.
    ///
    /// After a restart of the system only the bytes count that were on the medium when the record was written, as the
    /// others may be lost in any order. Otherwise all bytes in the file count, or all that the record names, also after
    /// the end of the process.
    ///
    /// - Parameter url: The URL of the request. Other content is not resumed.
    package func resumeData(for url: String) -> DownloadResumeData? {
        guard let (record, written) = resumable, record.isOf(url) else { return nil }
        var data = DownloadResumeData(
            url: url, validator: record.validator, written: written, total: record.total, partialPath: path)
        data.contentType = record.contentType
        data.contentDisposition = record.contentDisposition
        return data
    }

    /// The number of bytes that a resumed download of the same URL does not request again.
    var resumableBytes: Int64 { resumable?.written.count ?? 0 }

    private var resumable: (record: PartialRecord, written: ByteRanges)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, !FileMove.hasTwoNames(status),
            let record = readRecord()
        else { return nil }
        let size = Int64(status.st_size)
        let isSameRun = record.boot != nil && record.boot == SystemBoot.current
        var written = isSameRun ? record.written ?? ByteRanges([0..<size]) : record.synchronized
        written.remove(from: size)
        return written.prefix > 0 ? (record, written) : nil
    }

    /// Takes the partial file of another download, which has ended, unless there is one already.
    package func takeOver(from key: String) {
        for own in [path, recordPath] {
            guard (try? Folder.hasEntry(at: own)) == false else { return }
        }
        let other = Self.paths(of: key, in: folder.folder.path())
        // Without the other file, or without its record, the download begins at the first byte.
        guard rename(other.content, path) == 0 else { return }
        _ = rename(other.record, recordPath)
        _ = unlink(other.record + Self.newSuffix)
    }

    /// Removes the record, on the medium too, and then the partial file, before other content begins.
    package func clear() throws(SystemFailure) {
        try forget()
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(path)") }
    }

    /// Removes the partial file and its record, which are not needed any longer.
    package func remove() {
        // The record first: without its file it is harmless, and so is the file without its record.
        _ = unlink(recordPath)
        _ = unlink(newRecordPath)
        _ = unlink(path)
    }

    // MARK: The record

    private func readRecord() -> PartialRecord? {
        guard let file = try? FileDescriptor(recordPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let bytes = try? file.read(PartialRecord.maxBytes, at: 0)
        else { return nil }
        return PartialRecord(bytes)
    }

    /// Replaces the record, in one step.
    ///
    /// - Parameters:
    ///   - hasRanges: True if only the bytes that the data name count; false if all bytes in the file do.
    ///   - synchronized: The number of bytes that are on the medium; `nil` if no more are there than the present
    ///     record says. Then the record need not be on the medium either.
    /// - Throws: The earlier record is in place, or the new one, which may not be on the medium.
    package func record(
        _ data: DownloadResumeData, hasRanges: Bool = false, synchronized: Int64?
    ) throws(SystemFailure) {
        let written = hasRanges ? data.written ?? ByteRanges() : nil
        let known: ByteRanges
        if let synchronized {
            known = written ?? ByteRanges([0..<synchronized])
        } else {
            known = readRecord()?.synchronized ?? ByteRanges()
        }
        let record = PartialRecord(data, written: written, synchronized: known, boot: SystemBoot.current)
        do throws(SystemFailure) {
            let file = try FileDescriptor(newRecordPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try file.write(record.bytes)
            if synchronized != nil { try file.synchronizeData() }
            guard rename(newRecordPath, recordPath) == 0 else { throw SystemFailure("rename \(newRecordPath)") }
        } catch {
            // It would remain until the next record, or as long as the task.
            _ = unlink(newRecordPath)
            throw error
        }
        if synchronized != nil { try folder.folder.synchronize() }
    }

    /// Removes the record, so that it never describes other content; returns when that is on the medium.
    func forget() throws(SystemFailure) {
        // An attempt that ended while it wrote may have left it; it describes nothing.
        _ = unlink(newRecordPath)
        guard unlink(recordPath) == 0 else {
            let failure = SystemFailure("unlink \(recordPath)")
            if failure.isMissingFile { return }
            throw failure
        }
        try folder.folder.synchronize()
    }
}
