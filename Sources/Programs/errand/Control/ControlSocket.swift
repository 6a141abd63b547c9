import ErrandCryptography
import ErrandFiles
import ErrandText
import Foundation
import Glibc

/// The Unix socket on which a running gateway serves the commands of its owner, such as `errand health`.
///
/// Its path follows from the path of the configuration file, not from its content, so that the commands reach the
/// process whatever the file says meanwhile. Only the user of the process and root can connect, so that no token is
/// needed.
struct ControlSocket: Equatable {
    /// The path of the socket.
    let path: String
    /// The folder that the gateway creates for the socket; `nil` if the user has chosen the path.
    let ownFolder: String?
    /// The user whose id is in the name of the folder, to whom it must belong; `nil` for a folder that must belong to
    /// this user, and for root for any: then only root or the user of the gateway can have created it.
    private var owner: UInt32?

    /// The folder of temporary files, which several users share.
    private static let shared = "/tmp"

    /// Returns the possible sockets of a gateway, the preferred one first.
    ///
    /// | | |
    /// | --- | --- |
    /// | `ERRAND_CONTROL` is set | this path only |
    /// | otherwise | a folder named after the configuration file, in `XDG_RUNTIME_DIR`, `/run/errand` or `/tmp` |
    ///
    /// - Parameters:
    ///   - file: The path of the configuration file. Links are not followed, as those of Kubernetes change.
    ///   - user: The id of the user who runs the process.
    static func candidates(
        configuration file: String, environment: [String: String], user: UInt32 = geteuid()
    ) -> [ControlSocket] {
        if let path = chosenPath(environment) { return [ControlSocket(path: path)] }
        let name = name(of: file)
        var folders: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            folders.append("\(runtime)/errand-\(name)")
        }
        folders.append("/run/errand/\(name)")
        return folders.map { ControlSocket(folder: $0) }
            + [ControlSocket(folder: "\(shared)/errand-\(user)-\(name)", of: user)]
    }

    /// Returns the path of `ERRAND_CONTROL`; `nil` if it is not set.
    static func chosenPath(_ environment: [String: String]) -> String? {
        environment["ERRAND_CONTROL"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the sockets of all other users in the folder that all users share: root may connect to each.
    static func ofOtherUsers(configuration file: String) -> [Foreign] {
        let suffix = "-\(name(of: file))"
        // Without the folder there is none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: shared)) ?? []
        let users = names.filter { $0.hasPrefix("errand-") && $0.hasSuffix(suffix) }.compactMap { name in
            UInt32(name.dropFirst("errand-".count).dropLast(suffix.count))
        }
        // A number can be written in several ways, and the name has only one of them.
        return Set(users).subtracting([geteuid()]).sorted().map { user in
            Foreign(user: user, socket: ControlSocket(folder: "\(shared)/errand-\(user)\(suffix)", of: user))
        }
    }

    /// Returns the name that stands for the path of a configuration file.
    private static func name(of file: String) -> String {
        Hexadecimal.encode(SHA256.hash(Array(file.absolutePath.utf8)).prefix(8).map(\.self))
    }

    /// Creates the folder of the socket if it is missing.
    ///
    /// - Throws: The reason why it cannot be used: it must belong to this user, and no other user may write to it.
    func prepareFolder() throws(SystemFailure) {
        guard let ownFolder else { return }
        try Folder.make(ownFolder)
        guard Self.status(of: ownFolder).flatMap(Self.owner) == geteuid() else {
            throw SystemFailure("\(ownFolder) belongs to another user", number: EPERM)
        }
    }

    /// Removes the folder of the socket, if it was created for it and is empty.
    func removeFolder() {
        if let ownFolder { rmdir(ownFolder) }
    }

    /// The uses that this user can make of a socket.
    enum State {
        /// A process listens.
        case listening
        /// This user may not use the path.
        case forbidden
        /// No process listens, or another user could have made the socket.
        case unusable
    }

    /// Returns the state of the socket, by a connection that is closed at once.
    ///
    /// Commands use a socket only in a folder that only this user can change; root uses the sockets of all users. Any
    /// user can make a folder in `/tmp` with the name of another user's, also of root's.
    func state() -> State {
        if let ownFolder, owner != nil || geteuid() != 0 {
            guard let folder = Self.status(of: ownFolder) else { return Self.stateWithoutFile() }
            guard let found = Self.owner(of: folder) else { return .unusable }
            // Root uses the folder of the user of its name only, and others their own. A folder of neither is no
            // gateway's.
            let isUsable = found == (geteuid() == 0 ? owner : geteuid())
            let mayBeOthers = geteuid() != 0 && (owner == nil || found == owner)
            guard isUsable else { return mayBeOthers ? .forbidden : .unusable }
        }
        guard let file = Self.status(of: path) else { return Self.stateWithoutFile() }
        return file.st_mode & S_IFMT == S_IFSOCK ? stateByConnecting() : .unusable
    }

    private func stateByConnecting() -> State {
        let name = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard name.count < field.count else { return false }
            field.copyBytes(from: name)
            return true
        }
        guard fits else { return .unusable }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        // The request itself tells why it cannot be sent.
        guard probe >= 0 else { return .listening }
        defer { close(probe) }
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // With EAGAIN a process listens whose queue is full.
        guard code != 0, errno != EAGAIN else { return .listening }
        return errno == EACCES ? .forbidden : .unusable
    }

    /// Returns the state after a query for a file has failed; must be called directly after it.
    private static func stateWithoutFile() -> State {
        errno == EACCES ? .forbidden : .unusable
    }

    /// Returns the status of a file, without following a link; `nil` if the query fails.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Returns the owner of a folder; `nil` if it is not a folder, or others may write to it.
    private static func owner(of folder: stat) -> UInt32? {
        folder.st_mode & S_IFMT == S_IFDIR && folder.st_mode & 0o022 == 0 ? folder.st_uid : nil
    }
}

extension ControlSocket {
    /// A socket in the folder of another user, where any user could listen.
    struct Foreign {
        /// The user whose id is in the name of the folder.
        let user: UInt32
        /// The socket.
        let socket: ControlSocket
    }

    /// A socket at a path that the user has chosen.
    init(path: String) {
        self.init(path: path, ownFolder: nil)
    }

    /// A socket in a folder that the gateway creates for it.
    fileprivate init(folder: String, of owner: UInt32? = nil) {
        self.init(path: "\(folder)/control.sock", ownFolder: folder, owner: owner)
    }
}
