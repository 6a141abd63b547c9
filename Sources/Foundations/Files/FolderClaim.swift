internal import Glibc

/// The exclusive right of an owner, such as a task store, to the files of a folder.
///
/// A symbolic link in the folder, the mark, names the owner, also after the end of the process: it leads nowhere, its
/// target is the name. Unlike a file it comes to be in one step. The folder is locked as long as this object lives, so
/// that two processes with copies of the same owner do not use it at once.
package final class FolderClaim: Sendable {
    /// The name of the mark.
    package static let markName = ".errand-store"

    private let lock: FolderLock
    /// False if the folder could not be marked, so that another owner can claim it later: the disk has no space, or its
    /// file system has no links.
    package let isMarked: Bool

    /// The owner of a folder.
    package struct Owner: Sendable, Hashable {
        /// The name, which is different for each owner: a line of at most 64 bytes.
        package var name: String
        /// True if files in a folder without a mark can be those of the owner; false if it never had any.
        package var mayHaveFiles: Bool

        /// Creates the value.
        package init(name: String, mayHaveFiles: Bool) {
            self.name = name
            self.mayHaveFiles = mayHaveFiles
        }
    }

    /// The reason for which a folder cannot be claimed.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The mark names another owner.
        case otherOwner(folder: String)
        /// There is no mark, but there are files, and the owner never had any.
        case unmarkedFiles(folder: String)
        /// Another process uses the folder.
        case inUse(folder: String)
        /// A system call failed.
        case system(SystemFailure)

        /// The reason, with the path of the folder.
        package var description: String {
            switch self {
            case .otherOwner(let folder): "\(folder) belongs to another task store"
            case .unmarkedFiles(let folder): "\(folder) has files of another task store: this one is new"
            case .inUse(let folder): "another gateway with a copy of the task store uses \(folder)"
            case .system(let failure): "\(failure)"
            }
        }
    }

    /// Claims a folder, and marks it if it has no mark.
    ///
    /// On a full disk the folder stays without a mark, as files are removed from it to make space; see ``isMarked``. Blocks
    /// the calling thread.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder, which must exist.
    ///   - owner: The owner.
    ///   - hasFiles: Returns true if the folder has files that an owner could remove; called if it has no mark.
    package init(
        _ folder: String, by owner: Owner, hasFiles: () throws(SystemFailure) -> Bool
    ) throws(Failure) {
        try Self.requireNoOther(than: owner, in: folder)
        do throws(SystemFailure) {
            lock = try FolderLock(folder)
        } catch {
            throw error.number == EWOULDBLOCK ? .inUse(folder: folder) : .system(error)
        }
        // Another process may have marked the folder before it was locked here.
        if try Self.requireNoOther(than: owner, in: folder) {
            isMarked = true
            return
        }
        if !owner.mayHaveFiles, try Self.orFailure(hasFiles) { throw .unmarkedFiles(folder: folder) }
        isMarked = try Self.orFailure { () throws(SystemFailure) in try Self.mark(folder, owner) }
    }

    /// Checks that the mark of a folder, if there is one, is that of an owner; returns false if there is none.
    @discardableResult
    private static func requireNoOther(than owner: Owner, in folder: String) throws(Failure) -> Bool {
        guard let marked = try orFailure({ () throws(SystemFailure) in try markedOwner(of: folder) }) else {
            return false
        }
        guard marked == owner.name else { throw .otherOwner(folder: folder) }
        return true
    }

    private static func orFailure<Value>(_ call: () throws(SystemFailure) -> Value) throws(Failure) -> Value {
        do throws(SystemFailure) {
            return try call()
        } catch {
            throw .system(error)
        }
    }

    /// Returns true if a folder has a mark, of any owner.
    package static func isMarked(_ folder: String) throws(SystemFailure) -> Bool {
        try markedOwner(of: folder) != nil
    }

    /// Returns the path of the mark of a folder.
    package static func markPath(in folder: String) -> String { "\(folder)/\(markName)" }

    /// Returns the name in the mark of a folder, empty for a damaged mark; `nil` if there is none.
    private static func markedOwner(of folder: String) throws(SystemFailure) -> String? {
        let path = markPath(in: folder)
        // A longer name is that of another owner, even if its beginning is the same.
        var name = [UInt8](repeating: 0, count: maxNameBytes + 1)
        let count = readlink(path, &name, name.count)
        guard count < 0 else { return String(decoding: name.prefix(count), as: UTF8.self) }
        switch errno {
        case ENOENT: return nil
        case EINVAL: return ""
        default: throw SystemFailure("readlink \(path)")
        }
    }

    /// Marks a folder.
    ///
    /// - Returns: False if the disk has no space, or its file system has no links.
    private static func mark(_ folder: String, _ owner: Owner) throws(SystemFailure) -> Bool {
        let path = markPath(in: folder)
        guard symlink(owner.name, path) == 0 else {
            switch errno {
            case ENOSPC, EDQUOT, EPERM, EOPNOTSUPP, ENOSYS: return false
            default: throw SystemFailure("symlink \(path)")
            }
        }
        do throws(SystemFailure) {
            try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronize()
        } catch {
            // Some file systems cannot synchronize folders.
            guard error.number == EINVAL else { throw error }
        }
        return true
    }

    private static let maxNameBytes = 64
}

/// A folder that one process at a time can lock; locked as long as the value lives.
private struct FolderLock: ~Copyable, Sendable {
    private let folder: FileDescriptor

    /// Locks a folder, without waiting.
    ///
    /// - Throws: `EWOULDBLOCK` if another process has it locked.
    init(_ path: String) throws(SystemFailure) {
        let folder = try FileDescriptor(path, O_RDONLY | O_DIRECTORY)
        // Some file systems have no locks, or none for folders; the mark is enough to tell owners apart.
        if flock(folder.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw SystemFailure("flock \(path)", number: EWOULDBLOCK)
        }
        self.folder = folder
    }

    deinit {
        // Closing alone is not enough: a child process that is being started has copies of all descriptors until it
        // executes its program.
        _ = flock(folder.number, LOCK_UN)
    }
}
