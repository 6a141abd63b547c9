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
    /// The user to whom the folder must belong; `nil` for this user, and for root for any: then only root or the user of
    /// the gateway can have created it.
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

    /// Returns the sockets in the folder that all users share, whichever user runs the gateway: root may connect to each.
    static func ofAllUsers(configuration file: String) -> [ControlSocket] {
        let suffix = "-\(name(of: file))"
        // Without the folder there is none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: shared)) ?? []
        return names.filter { $0.hasPrefix("errand-") && $0.hasSuffix(suffix) }.sorted().compactMap { name in
            UInt32(name.dropFirst("errand-".count).dropLast(suffix.count)).map { user in
                ControlSocket(folder: "\(shared)/\(name)", of: user)
            }
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
        guard Self.owner(ofFolder: ownFolder) == geteuid() else {
            throw SystemFailure("\(ownFolder) belongs to another user", number: EPERM)
        }
    }

    /// Removes the folder of the socket, if it was created for it and is empty.
    func removeFolder() {
        if let ownFolder { rmdir(ownFolder) }
    }

    /// True if there is a socket, in a folder that only this user can change; root uses the sockets of all users.
    ///
    /// Any user can make a folder in `/tmp` with the name of another user's, also of root's.
    var exists: Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        guard let ownFolder, owner != nil || geteuid() != 0 else { return true }
        return Self.owner(ofFolder: ownFolder) == owner ?? geteuid()
    }

    /// Returns the owner of a folder; `nil` if it is not a folder, or others may write to it.
    private static func owner(ofFolder path: String) -> UInt32? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o022 == 0 else {
            return nil
        }
        return status.st_uid
    }
}

extension ControlSocket {
    /// A socket at a path that the user has chosen.
    init(path: String) {
        self.init(path: path, ownFolder: nil)
    }

    /// A socket in a folder that the gateway creates for it.
    fileprivate init(folder: String, of owner: UInt32? = nil) {
        self.init(path: "\(folder)/control.sock", ownFolder: folder, owner: owner)
    }
}
