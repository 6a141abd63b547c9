import ErrandFiles
import ErrandSupport
import Glibc

/// A TCP connection to a port of 127.0.0.1, with or without TLS, with blocking calls.
///
/// Faster than `RawHTTPClient`, which serves asynchronous tests: for clients that open thousands of connections.
struct BlockingConnection: ~Copyable {
    private let descriptor: Int32
    private var tls: TLSChannel?

    /// Connects.
    ///
    /// - Parameters:
    ///   - isSecure: True to use TLS, without verifying the server's certificate.
    ///   - timeoutSeconds: The timeout of a call without progress; none by default.
    init(port: UInt16, isSecure: Bool = false, timeoutSeconds: Int = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        // A time of zero is no limit.
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemFailure("connect") }
        if isSecure { tls = try TLSChannel(descriptor) }
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes.
    ///
    /// - Returns: True if the server still accepts bytes.
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard let count = sendSome(rest), count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends at least one of the bytes; `nil` if the connection has ended.
    private func sendSome(_ bytes: ArraySlice<UInt8>) -> Int? {
        if let tls { return try? tls.send(bytes) }
        return bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Shuts down the sending side.
    func finishSending() {
        tls?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the end of this value reset the connection.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Reads the next bytes, up to `count`; none at the end.
    func receive(atMost count: Int) throws -> [UInt8] {
        if let tls { return try tls.receive(count) }
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        guard received >= 0 else { throw RawHTTPClient.Failure(operation: "receive", errorNumber: errno) }
        return Array(buffer[..<received])
    }

    /// Reads to the end.
    ///
    /// - Returns: The received bytes, and whether the end was a reset.
    func receiveAll() throws -> (bytes: [UInt8], wasReset: Bool) {
        var received: [UInt8] = []
        do {
            while true {
                let bytes = try receive(atMost: 16 << 10)
                if bytes.isEmpty { return (received, false) }
                received += bytes
            }
        } catch let failure as RawHTTPClient.Failure where failure.isReset {
            return (received, true)
        }
    }
}
