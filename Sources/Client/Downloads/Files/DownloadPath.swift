import ErrandFiles
import ErrandSessionCore
import ErrandText
import Glibc

/// The path of a file to be created, divided into its folder and its name.
struct DownloadPath: Sendable, Hashable {
    /// The path as it was given.
    let path: String
    /// The folder: `.` for a name alone.
    let folder: String
    /// The name of the file.
    let name: String

    /// Divides a path.
    ///
    /// - Throws: ``SessionErrorCode/cannotCreate`` if it cannot be the path of a file.
    init(_ path: String) throws(SessionError) {
        guard !path.utf8.contains(0) else {
            throw SessionError(.cannotCreate, "The path of the destination contains a NUL character")
        }
        let names = path.pathNames(keepingEmpty: true)
        let name = names.last ?? ""
        guard !name.isEmpty, name != ".", name != ".." else {
            throw SessionError(.cannotCreate, "The destination \(path) is the path of a folder")
        }
        self.path = path
        self.name = name
        let folder = names.dropLast().joined(separator: "/")
        self.folder = names.count == 1 ? "." : folder.isEmpty ? "/" : folder
    }

    /// Checks that a file can be created here, and creates its folder if the options say so.
    ///
    /// - Throws: ``SessionErrorCode/cannotCreate`` for the folder; ``SessionErrorCode/exists`` and
    ///   ``SessionErrorCode/cannotMove`` for what is at the path.
    func prepare(_ options: DownloadOptions) throws(SessionError) {
        if options.createsFolders {
            do throws(SystemFailure) {
                try Self.makeFolder(folder)
            } catch {
                throw SessionError(.cannotCreate, "The folder \(folder) could not be created: \(error.reason)")
            }
        }
        try check(options.onConflict)
    }

    /// Checks what is at the path.
    ///
    /// - Throws: As ``prepare(_:)``.
    func check(_ conflict: DownloadConflict) throws(SessionError) {
        // Whatever is at the path stays there, and the file gets another name.
        guard conflict != .rename else { return }
        var status = stat()
        // A path that cannot be examined fails when the file is created or moved.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SessionError(.cannotMove, "The destination \(path) exists and is not a regular file")
        }
        guard conflict != .fail else { throw exists }
    }

    /// Checks that a partial file can be moved here.
    ///
    /// Compares the folders: some file systems give files and folders different devices.
    ///
    /// - Throws: ``SessionErrorCode/cannotMove`` if it is on another file system.
    func checkMove(from path: String) throws(SessionError) {
        let source = try DownloadPath(path).folder
        guard source != folder, let device = Self.device(of: source), let other = Self.device(of: folder),
            device != other
        else { return }
        throw SessionError(
            .cannotMove, "The destination \(self.path) is on another file system than the partial file \(path)")
    }

    /// Returns the device of a folder; `nil` if it cannot be examined.
    private static func device(of folder: String) -> dev_t? {
        var status = stat()
        return stat(folder, &status) == 0 ? status.st_dev : nil
    }

    /// The error for a file that exists already.
    var exists: SessionError { SessionError(.exists, "The destination \(path) exists") }

    /// Returns a path in the same folder, with a number before the extension: `name (1).ext`.
    ///
    /// The name has at most ``FileName/maxBytes``.
    func numbered(_ number: Int) -> String {
        var base = name[...]
        var suffix = ""[...]
        // A name that begins with its only dot has no extension, nor is a long ending one.
        if let dot = name.lastIndex(of: "."), dot != name.startIndex,
            name[dot...].utf8.count <= FileName.maxExtensionBytes
        {
            base = name[..<dot]
            suffix = name[dot...]
        }
        let ending = " (\(number))\(suffix)"
        // A name that is as long as a file system allows has no room for a number.
        let stem = FileName.prefix(of: Array(base.unicodeScalars)[...], maxBytes: FileName.maxBytes - ending.utf8.count)
        return Self.path(of: String(String.UnicodeScalarView(stem)) + ending, in: folder)
    }

    /// Returns the path of a name in a folder.
    static func path(of name: String, in folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Creates a folder, and the missing folders above it.
    static func makeFolder(_ folder: String) throws(SystemFailure) {
        guard mkdir(folder, 0o777) != 0 else { return }
        let failure = SystemFailure("mkdir \(folder)")
        if failure.number == EEXIST { return }
        let parent = folder.parentFolder
        guard failure.isMissingFile, parent != "/", parent != "." else { throw failure }
        try makeFolder(parent)
        guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw SystemFailure("mkdir \(folder)") }
    }
}
