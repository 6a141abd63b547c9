import Glibc
import Locking

import struct Synchronization.Atomic

/// An HTTP server for crowds: one thread, `poll(2)`, the same short answer to every request without content, or none.
///
/// Requests whose target begins with `/park` are never answered. ``stop()`` has to be called.
package final class ReflexServer: Sendable {
    /// The port.
    package let port: UInt16
    /// The answer.
    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)

    /// Written to, to end a wait: the two ends of a pipe.
    private let wakeup: (read: Int32, write: Int32)
    private let isStopped = Atomic<Bool>(false)
    private let parkedCount = Atomic<Int>(0)
    private let closedCount = Atomic<Int>(0)
    private let waiters = Mutex<[Waiter]>([])

    private struct Waiter {
        let isMet: @Sendable () -> Bool
        let continuation: CheckedContinuation<Void, Never>
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

    /// Requests that are parked.
    package var parked: Int { parkedCount.load(ordering: .relaxed) }

    /// Connections that clients have closed.
    package var closed: Int { closedCount.load(ordering: .relaxed) }

    /// Waits until so many requests are parked.
    package func waitForParked(_ count: Int) async {
        await wait { [self] in parked >= count }
    }

    /// Waits until clients have closed so many connections.
    package func waitForClosed(_ count: Int) async {
        await wait { [self] in closed >= count }
    }

    /// Ends the thread and breaks all connections.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        close(wakeup.write)
    }

    private func wait(_ isMet: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { continuation in
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

    /// Reads what there is and answers.
    ///
    /// - Returns: `false` when the client has gone.
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
        return Self.answer.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } > 0
    }
}
