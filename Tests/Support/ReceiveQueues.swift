import Foundation
import Glibc

/// The received bytes that this process has yet to read from its TCP connections.
package enum ReceiveQueues {
    /// Returns the number of bytes that a server on 127.0.0.1 has sent to clients in this process, and that they have
    /// yet to read.
    ///
    /// - Parameter port: The port of the server.
    package static func bytes(from port: UInt16) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .reduce(0) { sum, descriptor in
                // The descriptor may belong to another test and be closed by now.
                peerPort(of: descriptor) == port ? sum + unread(descriptor) : sum
            }
    }

    private static func peerPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            getpeername(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func unread(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
}
