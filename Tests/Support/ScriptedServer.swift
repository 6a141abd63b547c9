import ErrandLocking
import Foundation
import Glibc

/// A server on a free port of 127.0.0.1, or on a Unix socket, that runs a script for each connection, byte for byte.
///
/// The script runs on the connection's own thread, and the connection is closed when it returns or throws. Tests can
/// wait for the logged actions of clients. ``stop()`` must be called.
package final class ScriptedServer: Sendable {
    /// The script of a connection.
    package typealias Script = @Sendable (ScriptedConnection) throws -> Void

    /// The port.
    package let port: UInt16
    /// The requests, in the order in which they were read completely.
    package let requests = EventLog<ScriptedRequest>()
    /// The numbers of accepted connections.
    package let accepted = EventLog<Int>()
    /// The numbers of connections whose scripts have ended, for example because the client closed the connection.
    package let ended = EventLog<Int>()

    /// An event once the port is released.
    ///
    /// From then on connections to it are refused.
    package let closed = EventLog<Void>()

    /// The ports of the clients of accepted connections.
    private let clients = EventLog<UInt16>()
    private let listener: Int32
    /// A socket that keeps the port from other servers as long as this object lives.
    private let reservation: Int32?
    private let script: Script
    private let state = Mutex(State())

    private struct State {
        var sockets: Set<Int32> = []
        var isListening = false
        var isStopped = false
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - listens: True to listen immediately. Otherwise the port is reserved, and connections are refused until
    ///     ``listen()``.
    ///   - keepsPort: True to keep the port reserved after ``stop()``, so that connections to it are refused as long
    ///     as this object lives. Otherwise the next server may get the port.
    /// - Throws: ``RawHTTPClient/Failure`` if a system call fails.
    package init(listens: Bool = true, keepsPort: Bool = false, _ script: @escaping Script) throws {
        self.script = script
        if keepsPort {
            let reserved = try bindToLoopback(shared: true)
            reservation = reserved.socket
            (listener, port) = try bindToLoopback(reserved.port, shared: true)
        } else {
            reservation = nil
            (listener, port) = try bindToLoopback()
        }
        if listens { try listen() }
    }

    /// Starts a server on a Unix socket; it has no port.
    ///
    /// - Throws: ``RawHTTPClient/Failure`` when the system refuses.
    package init(unixSocket path: String, _ script: @escaping Script) throws {
        self.script = script
        port = 0
        reservation = nil
        listener = try bindToUnixSocket(path)
        try listen()
    }

    deinit {
        if let reservation { close(reservation) }
    }

    /// Starts listening; may be called once.
    ///
    /// - Throws: ``RawHTTPClient/Failure`` if a system call fails.
    package func listen() throws {
        try startListening(listener)
        state.withLock { $0.isListening = true }
        let listener = listener
        startThread { [self] in accept(from: listener) }
    }

    /// The address to put in a URL, such as `http://127.0.0.1:40123`.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// Stops listening and closes all connections.
    package func stop() {
        let mustGiveBackPort = state.withLock { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            // Both this and closing hold the lock, because another server could already have the number of a closed
            // socket.
            for socket in state.sockets { Glibc.shutdown(socket, Int32(SHUT_RDWR)) }
            // This wakes the accepting thread, which releases the port.
            if state.isListening { Glibc.shutdown(listener, Int32(SHUT_RDWR)) }
            return !state.isListening
        }
        if mustGiveBackPort { giveBackPort() }
    }

    /// Returns the number of connections that clients have made before this call.
    ///
    /// Connections are accepted in order: this makes another one, and waits until the server has accepted it.
    ///
    /// - Throws: ``RawHTTPClient/Failure`` if the server does not listen.
    package func connectionsBefore() async throws -> Int {
        let (fence, ownPort) = try connectToLoopback(port)
        defer { close(fence) }
        var count = 1
        while await clients.first(count)[count - 1] != ownPort { count += 1 }
        return count - 1
    }

    private func accept(from listener: Int32) {
        var number = 0
        while true {
            var client = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let socket = withUnsafeMutablePointer(to: &client) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.accept(listener, $0, &length) }
            }
            if socket < 0 {
                // Also without a free descriptor for the moment, which other tests may have taken.
                guard [EINTR, ECONNABORTED, EMFILE, ENFILE].contains(errno) else { break }
                _ = poll(nil, 0, 10)
                continue
            }
            let isStopped = state.withLock { state in
                if !state.isStopped { state.sockets.insert(socket) }
                return state.isStopped
            }
            if isStopped {
                close(socket)
                break
            }
            let connectionNumber = number
            number += 1
            accepted.append(connectionNumber)
            clients.append(UInt16(bigEndian: client.sin_port))
            startThread { [self] in run(connectionNumber, socket) }
        }
        giveBackPort()
    }

    private func giveBackPort() {
        close(listener)
        closed.append()
    }

    private func run(_ number: Int, _ socket: Int32) {
        do {
            try script(ScriptedConnection(number: number, socket: socket, server: self))
        } catch {
            // The client closed the connection, or the script ended it.
        }
        state.withLock { state in
            state.sockets.remove(socket)
            _ = close(socket)
        }
        ended.append(number)
    }
}

/// Returns a listening socket on a free port.
func listenOnLoopback() throws(RawHTTPClient.Failure) -> (socket: Int32, port: UInt16) {
    let bound = try bindToLoopback()
    do throws(RawHTTPClient.Failure) {
        try startListening(bound.socket)
    } catch {
        close(bound.socket)
        throw error
    }
    return bound
}

private func startListening(_ socket: Int32) throws(RawHTTPClient.Failure) {
    guard listen(socket, 4096) == 0 else { throw RawHTTPClient.Failure(operation: "listen", errorNumber: errno) }
}

/// Returns a socket that does not accept connections yet.
///
/// - Parameters:
///   - port: Its port; 0 for a free one.
///   - shared: True if several sockets of this process have the port.
private func bindToLoopback(
    _ port: UInt16 = 0, shared: Bool = false
) throws(RawHTTPClient.Failure) -> (socket: Int32, port: UInt16) {
    try loopbackSocket("bind", port: port, shared: shared) { bind($0, $1, $2) }
}

/// Returns a socket that is connected to a port, and its own port.
private func connectToLoopback(_ port: UInt16) throws(RawHTTPClient.Failure) -> (socket: Int32, port: UInt16) {
    try loopbackSocket("connect", port: port) { connect($0, $1, $2) }
}

/// Returns a socket after `attach`, which is given the address of a port, and the socket's own port.
private func loopbackSocket(
    _ operation: String, port: UInt16, shared: Bool = false,
    attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws(RawHTTPClient.Failure) -> (socket: Int32, port: UInt16) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw RawHTTPClient.Failure(operation: "socket", errorNumber: errno) }
    if shared {
        var option: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &option, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            guard attach(socket, pointer, length) == 0 else { return Int32(-1) }
            return getsockname(socket, pointer, &length)
        }
    }
    guard code == 0 else {
        let reason = errno
        close(socket)
        throw RawHTTPClient.Failure(operation: operation, errorNumber: reason)
    }
    return (socket, UInt16(bigEndian: address.sin_port))
}

/// Creates a socket with a path that accepts no connections yet.
private func bindToUnixSocket(_ path: String) throws(RawHTTPClient.Failure) -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw RawHTTPClient.Failure(operation: "socket", errorNumber: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard code == 0 else {
        let reason = errno
        close(socket)
        throw RawHTTPClient.Failure(operation: "bind", errorNumber: reason)
    }
    return socket
}

/// Runs `body` on its own thread instead of a pool, because scripts block.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    // There may be thousands of threads.
    thread.stackSize = 262_144
    thread.start()
}
