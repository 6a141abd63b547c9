import ErrandFiles
import Glibc

/// A socket that sends datagrams to a Unix socket, which is a file or an abstract name.
final class NotificationSocket: Sendable {
    /// The bytes of `sun_path`: a path with its final NUL, or an abstract name after a NUL.
    private let name: [UInt8]
    private let descriptor: Int32

    /// Opens a socket for the datagrams to an address.
    ///
    /// - Parameter address: An absolute path, or `@` and an abstract name (unix(7)).
    init(_ address: String) throws(SystemFailure) {
        let bytes = Array(address.utf8)
        if address.hasPrefix("/") {
            name = bytes + [0]
        } else if address.hasPrefix("@") {
            name = [0] + Array(bytes.dropFirst())
        } else {
            throw SystemFailure("NOTIFY_SOCKET", number: EAFNOSUPPORT)
        }
        guard name.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw SystemFailure("NOTIFY_SOCKET", number: ENAMETOOLONG)
        }
        let opened = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        descriptor = DescriptorReserve.admit(opened)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        // A receiver that stands still must not hold up the gateway.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends a datagram.
    ///
    /// It waits for the receiver for at most a second.
    func send(_ text: String) throws(SystemFailure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(text.utf8)
        while true {
            let sent = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, bytes, bytes.count, 0, $0, length)
                }
            }
            guard sent < 0 else { return }
            guard errno == EINTR else { throw SystemFailure("sendto NOTIFY_SOCKET") }
        }
    }
}
