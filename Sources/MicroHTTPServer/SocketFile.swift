import Glibc

/// The file of a Unix socket, which is this server's as long as it is the same file.
struct SocketFile: Sendable {
    private let path: String
    private let identity: Identity

    /// Which file it is, whatever its name.
    private struct Identity: Sendable, Equatable {
        var device: dev_t
        var node: ino_t
    }

    /// What is at a path.
    private enum Occupant {
        case nothing
        case socket
        case otherFile
    }

    private static let permissions: UInt16 = 0o777

    /// Binds a socket to a path, and listens.
    ///
    /// Nobody can connect before the socket listens, and by then it has its mode: the one that it is made with, which
    /// the process's mask may only have narrowed, and then exactly the one that is asked for. The mask itself is left
    /// alone, as it belongs to all threads.
    static func listen(
        _ descriptor: Int32, path: String, mode: UInt16
    ) throws(MicroHTTPServerError) -> SocketFile {
        let address = ListenAddress.unix(path: path, mode: mode)
        guard mode & ~permissions == 0, let name = socketName(path) else {
            throw MicroHTTPServerError(.invalidAddress, address: address)
        }
        // Between its binding and its listening a socket looks like that of a dead process: the servers of a directory
        // start one after the other.
        let folder = try lockFolder(of: path, for: address)
        defer { close(folder) }
        try makeRoom(at: name, path: path, for: address)
        guard fchmod(descriptor, mode_t(mode)) == 0, bind(descriptor, name) == 0 else {
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: errno)
        }
        guard let identity = identity(of: path),
            fchmodat(AT_FDCWD, path, mode_t(mode), AT_SYMLINK_NOFOLLOW) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let reason = errno
            unlink(path)
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
        }
        return SocketFile(path: path, identity: identity)
    }

    /// Removes the file, unless another has taken its place.
    func remove() {
        guard Self.identity(of: path) == identity else { return }
        unlink(path)
    }

    // MARK: What is there already

    /// Removes a socket that nobody serves.
    private static func makeRoom(
        at name: sockaddr_un, path: String, for address: ListenAddress
    ) throws(MicroHTTPServerError) {
        switch occupant(of: path) {
        case .nothing: return
        case .otherFile: throw MicroHTTPServerError(.notASocket, address: address)
        case .socket: break
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else {
            throw MicroHTTPServerError(.outOfResources, address: address, errorNumber: errno)
        }
        defer { close(probe) }
        guard connect(probe, name) != 0 else {
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: EADDRINUSE)
        }
        let reason = errno
        guard reason == ECONNREFUSED, unlink(path) == 0 || errno == ENOENT else {
            // A server whose queue is full says EAGAIN.
            let reason = reason == EAGAIN ? EADDRINUSE : reason == ECONNREFUSED ? errno : reason
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
        }
    }

    /// Symbolic links are not followed: one is a file like others.
    private static func occupant(of path: String) -> Occupant {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .nothing }
        return status.st_mode & S_IFMT == S_IFSOCK ? .socket : .otherFile
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return Identity(device: status.st_dev, node: status.st_ino)
    }

    /// Opens the directory of a path and locks it until it is closed.
    private static func lockFolder(of path: String, for address: ListenAddress) throws(MicroHTTPServerError) -> Int32 {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: errno)
        }
        // Not waited for: anybody who may read the directory can hold it.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
        }
        return descriptor
    }

    // MARK: Addresses

    /// The path as the system wants it; `nil` when it is empty or too long, or contains NUL.
    private static func socketName(_ path: String) -> sockaddr_un? {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        return withUnsafeMutableBytes(of: &name.sun_path) { field in
            guard !bytes.isEmpty, bytes.count < field.count, !bytes.contains(0) else { return false }
            field.copyBytes(from: bytes)
            return true
        } ? name : nil
    }

    private static func bind(_ descriptor: Int32, _ name: sockaddr_un) -> Int32 {
        withAddress(name) { Glibc.bind(descriptor, $0, $1) }
    }

    private static func connect(_ descriptor: Int32, _ name: sockaddr_un) -> Int32 {
        withAddress(name) { Glibc.connect(descriptor, $0, $1) }
    }

    private static func withAddress(_ name: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
    {
        withUnsafePointer(to: name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
