import ErrandFiles
package import ErrandSessionCore
import Glibc

/// An open folder for files, which no symbolic link leads out of the folder above it.
///
/// It is entered name by name and stays open. So a file is created in it also if one of the folders is replaced by a
/// link meanwhile.
package struct ConfinedFolder: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Opens a folder below another, and creates the missing folders between them.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - names: The names of the folders, the outermost first; none for the folder at `path` itself.
    ///   - path: The path of the folder above, which must exist. Symbolic links in it are followed.
    /// - Throws: ``SessionErrorCode/cannotCreate`` if a folder cannot be created or opened, or is a link or a file;
    ///   ``SessionErrorCode/diskFull``.
    package init(_ names: [FileName], below path: String) throws(SessionError) {
        do throws(SystemFailure) {
            descriptor = try Self.reach(names, below: path)
        } catch {
            throw SessionError(creating: error, in: ([path] + names.map(\.text)).joined(separator: "/"))
        }
    }

    /// Opens one folder below another, with a name that no client can choose.
    ///
    /// - Parameter isCreated: True to create the folder if it is missing.
    init(own name: String, below path: String, isCreated: Bool) throws(SystemFailure) {
        let place = try FileDescriptor(path, O_RDONLY | O_DIRECTORY)
        descriptor = try Self.enter(name, in: place, isCreated: isCreated)
    }

    private static func reach(_ names: [FileName], below path: String) throws(SystemFailure) -> FileDescriptor {
        var place = try FileDescriptor(path, O_RDONLY | O_DIRECTORY)
        for name in names {
            place = try enter(name.text, in: place, isCreated: true)
        }
        return place
    }

    private static func enter(
        _ name: String, in folder: borrowing FileDescriptor, isCreated: Bool
    ) throws(SystemFailure) -> FileDescriptor {
        // It may exist already, or be created by another download meanwhile.
        guard !isCreated || mkdirat(folder.number, name, 0o777) == 0 || errno == EEXIST else {
            throw SystemFailure("mkdirat \(name)")
        }
        return try FileDescriptor(name, in: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// A path of the folder, which leads through `/proc` and is valid as long as the folder is open.
    borrowing func path() -> String { "/proc/self/fd/\(descriptor.number)" }

    /// Waits until the entries of the folder are on the medium.
    borrowing func synchronize() throws(SystemFailure) {
        try descriptor.synchronize()
    }

    /// Calls a function with a path of a file in the folder.
    ///
    /// The path leads through `/proc`, and is valid only during the call.
    package borrowing func withPath<Result, Failure: Error>(
        of name: FileName, _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body("\(path())/\(name.text)")
    }
}
