import Glibc

extension ScriptedConnection {
    /// Sends as much of these bytes as the connection takes without waiting for the peer.
    ///
    /// - Returns: How many that were: 0 when the buffers of both sides are full, as the peer does not read.
    /// - Throws: ``Ended`` when the peer has closed.
    package func sendWithoutWaiting(_ bytes: ArraySlice<UInt8>) throws -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.dropFirst(sent).withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return sent }
            guard count > 0 else { throw Ended() }
            sent += count
        }
        return sent
    }
}
