import Glibc

/// Where a file is: looked up again whenever it is opened.
enum FileLocation: Sendable, Hashable {
    /// At a path, by the rules of the system.
    case path(String)
    /// Below a folder, without leaving it: the names of folders, and at last of the file, each of them plain.
    case below(folder: String, names: [String])

    /// Opens the file, which blocks.
    ///
    /// - Throws: ``FileSourceError/Code/badFile`` for what is no regular file, too.
    func open() throws(FileSourceError) -> RegularFile {
        do throws(SystemFailure) {
            let file = try find()
            if let length = try file.regularFileBytes() { return RegularFile(file, length: length) }
        } catch {
            throw error.openingError
        }
        throw FileSourceError(.badFile, "It is no regular file")
    }

    private func find() throws(SystemFailure) -> OpenFile {
        switch self {
        case .path(let path):
            return try OpenFile(path)
        case .below(let folder, let names):
            // Name by name, so that no symbolic link is followed at any of them, whoever puts one there meanwhile.
            var place = try OpenFile(folder, O_DIRECTORY)
            for name in names.dropLast() {
                place = try OpenFile(name, in: place, O_DIRECTORY)
            }
            return try OpenFile(names.last ?? ".", in: place)
        }
    }
}
