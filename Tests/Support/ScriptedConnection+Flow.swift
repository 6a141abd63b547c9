import Glibc

extension ScriptedConnection {
    /// Waits until the peer makes room for more bytes.
    ///
    /// - Parameter patienceMilliseconds: How long it may stand still; for ever by default.
    /// - Returns: `false` when it has stood still for that long.
    /// - Throws: ``Ended`` when the connection is gone.
    package func waitForRoom(patienceMilliseconds: Int32 = -1) throws -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        let count = poll(&entry, 1, patienceMilliseconds)
        guard count >= 0, entry.revents & Int16(POLLERR | POLLHUP) == 0 else { throw Ended() }
        return count > 0
    }
}
