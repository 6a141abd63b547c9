import ErrandLocking
import Foundation
import Glibc

/// A server on a port of 127.0.0.1 that responds to each request with the next given bytes, valid or not.
///
/// A request names its script in its path. A request of an earlier script, which the server may read after its client has
/// left, takes no response of the present one.
final class ScriptedPeer: Sendable {
    /// The response to one request.
    struct Response: Sendable {
        var bytes: [UInt8]
        /// True if the connection is closed after the response.
        var closes: Bool
    }

    /// The responses to the requests for one path.
    private struct Script {
        var number = 0
        /// The remaining responses, the next one last.
        var responses: [Response] = []
    }

    /// The port.
    let port: UInt16
    private let listener: Int32
    private let script = Mutex(Script())

    /// Starts a server that runs until the process ends.
    ///
    /// - Throws: ``BrokenPromise`` if no port or descriptor is left.
    init() throws(BrokenPromise) {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        // Safe: the address outlives the calls, which get its size.
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(listener, pointer, length) == 0, listen(listener, 64) == 0 else { return Int32(-1) }
                return unsafe getsockname(listener, pointer, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try expect(code == 0, "there is a port to listen on")
        let thread = Thread { [self] in acceptAll() }
        thread.start()
    }

    /// Sets the responses to the next requests, and discards the remaining earlier ones.
    ///
    /// - Returns: The path that these requests name.
    func play(_ responses: [Response]) -> String {
        let number = script.withLock { script in
            script.number += 1
            script.responses = responses.reversed()
            return script.number
        }
        return Self.path(number)
    }

    /// Returns the next response to a request; `nil` if there is none, or if the request is of an earlier script.
    private func response(to request: [UInt8]) -> Response? {
        script.withLock { script in
            guard request.starts(with: "GET \(Self.path(script.number)) ".utf8) else { return nil }
            return script.responses.popLast()
        }
    }

    private static func path(_ number: Int) -> String { "/\(number)" }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            let thread = Thread { [self] in serve(connection) }
            thread.stackSize = 262_144
            thread.start()
        }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // Safe: the buffer has this many bytes.
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += buffer.prefix(count)
            guard request.suffix(4).elementsEqual("\r\n\r\n".utf8) else { continue }
            guard let response = response(to: request) else { return }
            request.removeAll()
            var sent = 0
            while sent < response.bytes.count {
                // Safe: the count is that of the slice, which is used only during the call.
                let count = unsafe response.bytes[sent...].withUnsafeBytes {
                    unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
            if response.closes { return }
        }
    }
}
