import ErrandLocking
import Glibc

import struct Synchronization.Atomic

/// An HTTP server for many clients: one thread, `poll(2)`, and the same short response to every request without
/// content.
///
/// Requests whose target begins with `/park` never get a response. ``stop()`` must be called.
package final class ReflexServer: Sendable {
    /// The port.
    package let port: UInt16
    /// The response.
    private static let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)

    /// The two ends of a pipe.
    ///
    /// A write to it ends a wait.
    private let wakeup: (read: Int32, write: Int32)
    private let isStopped = Atomic<Bool>(false)
    private let parkedCount = Atomic<Int>(0)
    private let closedCount = Atomic<Int>(0)
    private let waiters = Mutex<[Waiter]>([])

    private struct Waiter {
        let isMet: @Sendable () -> Bool
        let continuation: Continuation<Void>
    }

    /// Starts a server.
    package init() throws {
        let listener: Int32
        (listener, port) = try listenOnLoopback()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw RawHTTPClient.Failure(operation: "pipe", errorNumber: errno) }
        wakeup = (ends[0], ends[1])
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        startThread { [self] in serve(listener) }
    }

    /// The address to put in a URL.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// The number of requests without a response.
    package var parked: Int { parkedCount.load(ordering: .relaxed) }

    /// The number of connections that clients have closed.
    package var closed: Int { closedCount.load(ordering: .relaxed) }

    /// Waits until the given number of requests are parked.
    package func waitForParked(_ count: Int) async {
        await wait { [self] in parked >= count }
    }

    /// Waits until clients have closed the given number of connections.
    package func waitForClosed(_ count: Int) async {
        await wait { [self] in closed >= count }
    }

    /// Ends the thread and closes all connections.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        close(wakeup.write)
    }

    private func wait(_ isMet: @escaping @Sendable () -> Bool) async {
        await withContinuation { continuation in
            waiters.withLock { $0.append(Waiter(isMet: isMet, continuation: continuation)) }
            checkWaiters()
        }
    }

    private func checkWaiters() {
        let met = waiters.withLock { waiters in
            let start = waiters.partition { $0.isMet() }
            defer { waiters.removeSubrange(start...) }
            return Array(waiters[start...])
        }
        for waiter in met { waiter.continuation.resume() }
    }

    private func serve(_ listener: Int32) {
        var polled = [listener, wakeup.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var unread: [Int32: [UInt8]] = [:]
        while !isStopped.load(ordering: .relaxed), poll(&polled, nfds_t(polled.count), -1) >= 0 {
            var gone: Set<Int32> = []
            for entry in polled[2...] where entry.revents != 0 {
                if !read(entry.fd, &unread[entry.fd, default: []]) { gone.insert(entry.fd) }
            }
            for socket in gone {
                close(socket)
                unread[socket] = nil
                closedCount.add(1, ordering: .relaxed)
            }
            if !gone.isEmpty { polled.removeAll { gone.contains($0.fd) } }
            while case let socket = Glibc.accept(listener, nil, nil), socket >= 0 {
                polled.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
            }
            checkWaiters()
        }
        for entry in polled { close(entry.fd) }
    }

    /// Reads the available bytes and responds.
    ///
    /// - Returns: `false` if the client has closed the connection.
    private func read(_ socket: Int32, _ unread: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        unread += buffer.prefix(count)
        guard unread.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return true }
        let target = unread.split(separator: UInt8(ascii: " ")).dropFirst().first ?? []
        unread.removeAll(keepingCapacity: true)
        if target.starts(with: "/park".utf8) {
            parkedCount.add(1, ordering: .relaxed)
            return true
        }
        return Self.response.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } > 0
    }
}
