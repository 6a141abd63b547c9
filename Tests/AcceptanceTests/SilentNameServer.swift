import Glibc
import Support

/// A name server that hears queries and never answers, and a way to have a process ask it.
///
/// It needs root: the port is 53, and the process gets a `/etc/resolv.conf` of its own in a mount namespace. The address
/// is one of 127.0.0.0/8 that nobody else has.
final class SilentNameServer: Sendable {
    private let socket: Int32
    private let address: String

    /// Whether this system allows it.
    static let isPossible = geteuid() == 0 && access("/usr/bin/unshare", X_OK) == 0

    /// Why there is none.
    struct Failure: Error {
        /// What was tried.
        var operation: String
        /// The `errno`.
        var number: Int32
    }

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(operation: "socket", number: errno) }
        for _ in 0..<10 {
            let number = UInt32.random(in: 0x7F40_0000...0x7F4F_FFFF)
            if Self.bind(socket, number) {
                address = [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
                return
            }
        }
        let reason = errno
        close(socket)
        throw Failure(operation: "bind to port 53", number: reason)
    }

    deinit {
        close(socket)
    }

    private static func bind(_ socket: Int32, _ number: UInt32) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        address.sin_addr.s_addr = number.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// The `resolv.conf` that names it.
    var configuration: String {
        "nameserver \(address)\noptions timeout:30 attempts:5\n"
    }

    /// What runs a command with this `resolv.conf`.
    static func launcher(resolvConf file: String) -> [String] {
        [
            "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
            #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, file,
        ]
    }

    /// Waits until somebody has asked.
    ///
    /// - Returns: `false` when nobody has for a long time.
    func firstQuery() async -> Bool {
        let asked = Signal<Bool>()
        let socket = socket
        var timeout = timeval(tv_sec: RawHTTPClient.timeoutSeconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        BlockingThread.run {
            var byte: UInt8 = 0
            asked.send(recv(socket, &byte, 1, Int32(MSG_PEEK)) > 0)
        }
        return await asked.wait()
    }
}
