import Glibc

extension ScriptedConnection {
    /// Waits until the peer makes room for more bytes.
    ///
    /// - Parameter patienceMilliseconds: How long it may stand still; for ever by default.
    /// - Returns: `false` when it has stood still for that long.
    /// - Throws: ``Ended`` when the connection is gone.
    package func waitForRoom(patienceMilliseconds: Int32 = -1) throws -> Bool {
        try waitFor(POLLOUT, patienceMilliseconds)
    }

    /// Waits until there are bytes of the peer's to read.
    ///
    /// - Parameter patienceMilliseconds: How long it may stand still; for ever by default.
    /// - Returns: `false` when it has stood still for that long.
    /// - Throws: ``Ended`` when the connection is gone.
    package func waitForBytes(patienceMilliseconds: Int32 = -1) throws -> Bool {
        try !unread.isEmpty || waitFor(POLLIN, patienceMilliseconds)
    }

    private func waitFor(_ event: Int32, _ patienceMilliseconds: Int32) throws -> Bool {
        var entry = pollfd(fd: socket, events: Int16(event), revents: 0)
        let count = poll(&entry, 1, patienceMilliseconds)
        guard count >= 0, entry.revents & Int16(POLLERR | POLLHUP) == 0 else { throw Ended() }
        return count > 0
    }

    /// Reads what the peer has sent, at least a byte of it.
    package func readWhatComes() throws -> [UInt8] {
        if unread.isEmpty { try receive() }
        defer { unread = [] }
        return unread
    }
}
