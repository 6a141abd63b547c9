import ErrandFiles
import Glibc

/// The file of a Unix socket, which belongs to this server as long as it is the same file.
struct SocketFile: Sendable {
    private let path: String
    private let identity: FileIdentity

    /// The kind of file at a path.
    private enum Occupant {
        case nothing
        case socket
        case otherFile
    }

    private static let permissions: UInt16 = 0o777

    /// Binds a socket to a path, and listens.
    ///
    /// No client can connect before the socket listens, and by then it has its mode. It is created with that mode,
    /// which the process's umask may only narrow, and then gets exactly the requested one. The umask itself is not
    /// changed, because it belongs to all threads.
    static func listen(
        _ descriptor: Int32, path: String, mode: UInt16
    ) throws(MicroHTTPServerError) -> SocketFile {
        let address = ListenAddress.unix(path: path, mode: mode)
        guard mode & ~permissions == 0, let name = socketName(path) else {
            throw MicroHTTPServerError(.invalidAddress, address: address)
        }
        // Between binding and listening, a socket looks like that of a dead process; therefore the servers of a path
        // start one after the other.
        let lock = try SocketLock(of: path, for: address)
        defer { lock.release() }
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

    /// Removes the file, unless another file has replaced it.
    func remove() {
        guard Self.identity(of: path) == identity else { return }
        unlink(path)
    }

    // MARK: Existing files

    /// Removes a socket without a server.
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
            // connect(2) fails with EAGAIN if the queue of a live server is full.
            let reason = reason == EAGAIN ? EADDRINUSE : reason == ECONNREFUSED ? errno : reason
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
        }
    }

    /// Returns the kind of file at a path; symbolic links are not followed.
    private static func occupant(of path: String) -> Occupant {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .nothing }
        return status.st_mode & S_IFMT == S_IFSOCK ? .socket : .otherFile
    }

    private static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return FileIdentity(status)
    }

    // MARK: Addresses

    /// Returns the path as a socket address, or `nil` if it is empty or too long, or contains NUL.
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
