import Glibc

extension ScriptedConnection {
    /// The address of the peer, such as `127.0.0.1`.
    package var peerAddress: String? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
        }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        guard code == 0, inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Adds a request in another protocol than HTTP to the server's ``ScriptedServer/requests``.
    package func record(_ text: String) {
        server.requests.append(ScriptedRequest(connection: number, head: text, body: [], wireBytes: 0))
    }

    /// Relays the connection to a port of 127.0.0.1, as a proxy does after its part of the conversation.
    ///
    /// Returns when one of both sides has closed.
    ///
    /// - Parameter greeting: The bytes to send to the peer once there is a connection.
    /// - Throws: ``Ended`` if the connection fails.
    package func relay(to port: UInt16, greeting: [UInt8]) throws {
        let upstream = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard upstream >= 0 else { throw Ended() }
        defer { close(upstream) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Ended() }
        try send(greeting)
        var ends = [socket, upstream].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&ends, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
                let count = recv(ends[from].fd, &buffer, buffer.count, 0)
                guard count > 0, Glibc.send(ends[to].fd, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
