import ErrandFiles
import ErrandSupport
import Foundation

/// A Unix socket that receives notifications, like that of a service manager.
final class NotificationReceiver: Sendable {
    /// The datagrams in the order of their arrival.
    let messages = EventLog<String>()
    /// The address for `NOTIFY_SOCKET`.
    let address: String
    private let descriptor: Int32

    /// Binds the socket and receives.
    ///
    /// - Parameter address: A path, or `@` and an abstract name.
    init(_ address: String) throws {
        self.address = address
        let opened = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard opened >= 0 else { throw SystemFailure("socket") }
        let bytes = Array(address.utf8)
        let name = bytes.first == UInt8(ascii: "@") ? [0] + Array(bytes.dropFirst()) : bytes + [0]
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name.prefix($0.count)) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let code = withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(opened, $0, length) }
        }
        guard code == 0 else {
            let failure = SystemFailure("bind")
            close(opened)
            throw failure
        }
        descriptor = opened
        BlockingThread.run { [messages] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(opened, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                messages.append(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
            close(opened)
        }
    }

    deinit {
        // Ends the thread, which closes the socket.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
