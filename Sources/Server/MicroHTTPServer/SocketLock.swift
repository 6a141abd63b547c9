import ErrandFiles
import Glibc

/// The lock of the path of a Unix socket, which one server at a time has while it starts.
///
/// It is a locked file beside the socket, which only its user can open and which is removed with the lock. The folder
/// itself is not locked: others may be able to, and the gateway locks folders of its own for other purposes.
struct SocketLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// The longest wait for a server that is starting, which takes it less than a millisecond.
    private static let patienceMilliseconds = 2000
    private static let pauseMilliseconds = 5

    /// Locks a path.
    ///
    /// - Throws: ``MicroHTTPServerError/Code/cannotListen`` if the file cannot be created, or is still locked after the
    ///   longest wait.
    init(of socketPath: String, for address: ListenAddress) throws(MicroHTTPServerError) {
        path = "\(socketPath).lock"
        for _ in 0..<(Self.patienceMilliseconds / Self.pauseMilliseconds) {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else {
                throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: errno)
            }
            let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
            let reason = errno
            if isLocked, Self.is(file, at: path) {
                descriptor = file
                return
            }
            // Another server has the lock, or has just removed this file with it.
            close(file)
            guard isLocked || reason == EWOULDBLOCK else {
                throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
            }
            usleep(UInt32(Self.pauseMilliseconds) * 1000)
        }
        throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: EWOULDBLOCK)
    }

    /// Removes the file, and with it the lock.
    func release() {
        unlink(path)
        close(descriptor)
    }

    /// Returns true if a path leads to an open file, which another process has not removed since.
    private static func `is`(_ file: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(file, &opened) == 0, lstat(path, &named) == 0 else { return false }
        return FileIdentity(opened) == FileIdentity(named)
    }
}
