import ErrandFiles
import Glibc

/// The location of a file, resolved each time the file is opened.
enum FileLocation: Sendable, Hashable {
    /// A path, resolved by the operating system.
    case path(String)
    /// A file below a folder, given by the names of the subfolders and, last, of the file.
    ///
    /// No name leads out of the folder.
    case below(folder: String, names: [String])

    /// Opens the file; blocks the calling thread.
    ///
    /// - Throws: ``FileSourceError``, with ``FileSourceError/Code/badFile`` if it is not a regular file.
    func open() throws(FileSourceError) -> RegularFile {
        do throws(SystemFailure) {
            let file = try find()
            if let length = try file.regularFileBytes() { return RegularFile(file, length: length) }
        } catch {
            throw error.openingError
        }
        throw FileSourceError(.badFile, "The file is not a regular file")
    }

    private func find() throws(SystemFailure) -> OpenFile {
        switch self {
        case .path(let path):
            return try OpenFile(path)
        case .below(let folder, let names):
            // Opens name by name, so that no symbolic link is followed, even if one is created meanwhile.
            var place = try OpenFile(folder, O_DIRECTORY)
            for name in names.dropLast() {
                place = try OpenFile(name, in: place, O_DIRECTORY)
            }
            return try OpenFile(names.last ?? ".", in: place)
        }
    }
}
