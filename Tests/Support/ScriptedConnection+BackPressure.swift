import Glibc

extension ScriptedConnection {
    /// Sends as many bytes as the connection accepts without waiting for the peer.
    ///
    /// - Returns: The number of sent bytes; 0 if the buffers of both sides are full because the peer does not read.
    /// - Throws: ``Ended`` if the peer has closed the connection.
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
