import Dispatch
import ErrandLocking
import Glibc

/// A channel through which a ``RawHTTPClient`` sends and receives, other than its plain socket.
///
/// The calls block.
package protocol RawChannel: Sendable {
    /// Sends at least one of the bytes, and returns the number of sent bytes.
    func send(_ bytes: ArraySlice<UInt8>) throws(RawHTTPClient.Failure) -> Int
    /// Receives at most `count` bytes; none at the end.
    func receive(_ count: Int) throws(RawHTTPClient.Failure) -> [UInt8]
    /// Ends the sending side.
    func finishSending()
}

/// A client that sends given bytes unchanged, and reads responses without correcting them.
///
/// For tests of servers: it can violate HTTP in ways that no HTTP library can. Blocking calls run on its own queue,
/// never in Swift's thread pool, and fail after ``timeoutSeconds`` without progress.
package final class RawHTTPClient: Sendable {
    /// The time that a call may wait for the next byte: as long as a test that hangs.
    ///
    /// No machine is slow enough to reach it. It only lets the thread of a failed test end.
    package static let timeoutSeconds = 600

    private let descriptor: Int32
    let channel: (any RawChannel)?
    private let queue = DispatchQueue(label: "raw-http-client")
    private let state = Mutex(State())

    private struct State {
        var received: [UInt8] = []
        var isClosed = false
    }

    /// A failed call.
    package struct Failure: Error, CustomStringConvertible {
        /// The attempted operation.
        package let operation: String
        /// The `errno`, or 0.
        package let errorNumber: Int32

        /// Creates the failure of an operation.
        package init(operation: String, errorNumber: Int32) {
            self.operation = operation
            self.errorNumber = errorNumber
        }

        package var description: String {
            "\(operation): \(errorNumber == 0 ? "failed" : String(cString: strerror(errorNumber)))"
        }

        /// True if the connection was reset or the pipe is broken.
        package var isReset: Bool { errorNumber == ECONNRESET || errorNumber == EPIPE }
    }

    /// A response.
    package struct Response: Sendable {
        /// The status code.
        package var status: Int
        /// The status line and header section, without the empty line.
        package var head: String
        /// The content, with its chunks joined.
        package var body: [UInt8]

        /// The content as text.
        package var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of the first header field with this name, in any case.
        package subscript(name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                    return String(parts[1].drop { $0 == " " })
                }
            }
            return nil
        }
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: The port on `host`.
    ///   - host: An IPv4 or IPv6 address.
    ///   - receiveBufferBytes: `SO_RCVBUF`, for a slow client; the system's default otherwise.
    package init(port: UInt16, host: String = "127.0.0.1", receiveBufferBytes: Int32? = nil) throws {
        channel = nil
        let isV6 = host.contains(":")
        descriptor = socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", errorNumber: errno) }
        if var size = receiveBufferBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        Self.limitWaiting(of: descriptor)
        let code: Int32
        if isV6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            code = Self.connect(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            code = Self.connect(descriptor, &address)
        }
        guard code == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            state.withLock { $0.isClosed = true }
            throw Failure(operation: "connect", errorNumber: reason)
        }
    }

    /// Connects to a Unix socket.
    package init(unixSocket path: String) throws {
        channel = nil
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", errorNumber: errno) }
        Self.limitWaiting(of: descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        guard Self.connect(descriptor, &address) == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            state.withLock { $0.isClosed = true }
            throw Failure(operation: "connect", errorNumber: reason)
        }
    }

    /// Takes ownership of a connected socket, and communicates through `channel`.
    package init(descriptor: Int32, channel: any RawChannel) {
        self.descriptor = descriptor
        self.channel = channel
    }

    deinit {
        close()
    }

    /// Sets the socket's timeouts, so that calls fail after ``timeoutSeconds``.
    package static func limitWaiting(of descriptor: Int32) {
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    // MARK: Sending

    /// Sends text.
    package func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    /// Sends all bytes.
    package func send(_ bytes: [UInt8]) async throws {
        try await onQueue { try self.sendAll(bytes) }
    }

    /// Sends as much as fits into the socket's buffer without waiting, and returns the number of sent bytes.
    package func sendWhatFits(_ bytes: [UInt8]) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        guard count < 0 else { return count }
        guard errno == EAGAIN else { throw Failure(operation: "send", errorNumber: errno) }
        return 0
    }

    /// Ends the sending side.
    package func finishSending() {
        channel?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection.
    package func close() {
        let closes = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if closes { Glibc.close(descriptor) }
    }

    /// Resets the connection.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    // MARK: Receiving

    /// Sends a request and reads the response.
    package func exchange(_ request: String, isHead: Bool = false) async throws -> Response {
        try await send(request)
        return try await response(isHead: isHead)
    }

    /// Reads the next response, including `100 Continue`.
    ///
    /// - Parameter isHead: True if it responds to a HEAD request and has no content.
    package func response(isHead: Bool = false) async throws -> Response {
        try await onQueue { try self.readResponse(isHead: isHead) }
    }

    /// Reads `count` bytes.
    package func bytes(_ count: Int) async throws -> [UInt8] {
        try await onQueue { try self.take(count) }
    }

    /// Reads until a text, which is not part of the result.
    package func text(until end: String) async throws -> String {
        try await onQueue { try self.takeLines(until: end) }
    }

    /// Reads until the server closes the connection.
    ///
    /// A reset is an error.
    package func untilClosed() async throws -> [UInt8] {
        try await onQueue {
            while try self.receive() {}
            return self.state.withLock { state in
                defer { state.received = [] }
                return state.received
            }
        }
    }

    /// Reads until the server closes or resets the connection.
    package func untilClosedOrReset() async throws -> [UInt8] {
        do {
            return try await untilClosed()
        } catch let failure as Failure where failure.isReset {
            return state.withLock { state in
                defer { state.received = [] }
                return state.received
            }
        }
    }

    // MARK: Blocking, on the queue

    private func onQueue<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try work() })
            }
        }
    }

    private func sendAll(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count =
                try channel?.send(bytes[sent...])
                ?? bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
                }
            guard count > 0 else { throw Failure(operation: "send", errorNumber: errno) }
            sent += count
        }
    }

    /// Receives more bytes; returns `false` at the end.
    private func receive() throws -> Bool {
        if let channel {
            let bytes = try channel.receive(64 * 1024)
            state.withLock { $0.received.append(contentsOf: bytes) }
            return !bytes.isEmpty
        }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failure(operation: "receive", errorNumber: errno) }
        state.withLock { $0.received.append(contentsOf: buffer[..<count]) }
        return count > 0
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while state.withLock({ $0.received.count }) < count {
            guard try receive() else { throw Failure(operation: "receive: unexpected end", errorNumber: 0) }
        }
        return state.withLock { state in
            defer { state.received.removeFirst(count) }
            return Array(state.received[..<count])
        }
    }

    private func takeLines(until end: String) throws -> String {
        let end = Array(end.utf8)
        var searched = 0
        while true {
            let (start, count) = state.withLock { ($0.received.firstIndex(of: end, from: searched), $0.received.count) }
            if let start { return String(decoding: try take(start + end.count).dropLast(end.count), as: UTF8.self) }
            searched = max(0, count - end.count + 1)
            guard try receive() else { throw Failure(operation: "receive: unexpected end", errorNumber: 0) }
        }
    }

    private func readResponse(isHead: Bool) throws -> Response {
        let head = try takeLines(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
            throw Failure(operation: "invalid response: \(head)", errorNumber: 0)
        }
        var response = Response(status: status, head: head, body: [])
        if isHead || status < 200 || status == 204 || status == 304 { return response }
        if response["Transfer-Encoding"]?.lowercased() == "chunked" {
            response.body = try readChunks()
        } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try take(length)
        } else {
            while try receive() {}
            response.body = state.withLock { state in
                defer { state.received = [] }
                return state.received
            }
        }
        return response
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try takeLines(until: "\r\n")
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else {
                throw Failure(operation: "invalid chunk size: \(line)", errorNumber: 0)
            }
            body += try take(size)
            guard try take(2) == Array("\r\n".utf8) else {
                throw Failure(operation: "missing CRLF after a chunk", errorNumber: 0)
            }
            if size == 0 { return body }
        }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
