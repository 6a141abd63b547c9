import Glibc

extension ScriptedConnection {
    /// Waits until the peer makes room for more bytes.
    ///
    /// - Parameter patienceMilliseconds: The time limit; none by default.
    /// - Returns: `false` if the time limit was reached.
    /// - Throws: ``Ended`` if the connection is closed.
    package func waitForRoom(patienceMilliseconds: Int32 = -1) throws -> Bool {
        try waitFor(POLLOUT, patienceMilliseconds)
    }

    /// Waits until the peer has sent bytes.
    ///
    /// - Parameter patienceMilliseconds: The time limit; none by default.
    /// - Returns: `false` if the time limit was reached.
    /// - Throws: ``Ended`` if the connection is closed.
    package func waitForBytes(patienceMilliseconds: Int32 = -1) throws -> Bool {
        try !unread.isEmpty || waitFor(POLLIN, patienceMilliseconds)
    }

    private func waitFor(_ event: Int32, _ patienceMilliseconds: Int32) throws -> Bool {
        var entry = pollfd(fd: socket, events: Int16(event), revents: 0)
        let count = poll(&entry, 1, patienceMilliseconds)
        guard count >= 0, entry.revents & Int16(POLLERR | POLLHUP) == 0 else { throw Ended() }
        return count > 0
    }

    /// Reads the available bytes of the peer, at least one.
    package func readWhatComes() throws -> [UInt8] {
        if unread.isEmpty { try receive() }
        defer { unread = [] }
        return unread
    }
}
