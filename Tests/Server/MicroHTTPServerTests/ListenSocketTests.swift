import ErrandSupport
import Glibc
import Testing

@testable import MicroHTTPServer

@Suite("ListenSocket", .timeLimit(.hang))
struct ListenSocketTests {
    /// Returns the next connection, which the caller closes.
    private func connection(of listener: borrowing ListenSocket) -> Int32 {
        var waiting = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
        return accept(listener.descriptor, nil, nil)
    }

    private func option(_ option: Int32, level: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, option, &value, &length) == 0 ? value : nil
    }

    @Test(
        "Several keep-alive probes of a connection fit into the time for which they may remain unacknowledged",
        arguments: [(30_000, 10, 5), (600_000, 60, 15), (300, 1, 1)] as [(Int32, Int32, Int32)])
    func keepAlive(sendIdle: Int32, idle: Int32, interval: Int32) throws {
        let listener = try ListenSocket(ListenAddress(), sendIdleMilliseconds: sendIdle)
        let bound = listener.bound(ListenAddress())
        let client = try RawHTTPClient(port: try #require(bound.port))
        let accepted = connection(of: listener)
        try #require(accepted >= 0)
        defer { close(accepted) }
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(SO_KEEPALIVE, level: SOL_SOCKET, of: accepted) == 1)
        #expect(option(TCP_KEEPIDLE, level: tcp, of: accepted) == idle)
        #expect(option(TCP_KEEPINTVL, level: tcp, of: accepted) == interval)
        #expect(option(TCP_USER_TIMEOUT, level: tcp, of: accepted) == sendIdle)
        client.close()
    }
}
