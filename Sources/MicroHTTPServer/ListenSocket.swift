import Glibc

/// A TCP socket that listens.
///
/// Its options are inherited by the connections that it accepts.
struct ListenSocket: ~Copyable {
    let descriptor: Int32

    /// Binds and listens.
    ///
    /// - Parameter sendIdleMilliseconds: `TCP_USER_TIMEOUT` of the connections.
    init(_ address: ListenAddress, sendIdleMilliseconds: Int32) throws(MicroHTTPServerError) {
        descriptor = try Self.listen(on: address, sendIdleMilliseconds: sendIdleMilliseconds)
    }

    private static func listen(
        on address: ListenAddress, sendIdleMilliseconds: Int32
    ) throws(MicroHTTPServerError) -> Int32 {
        var storage = sockaddr_storage()
        guard let length = fill(&storage, from: address) else {
            throw MicroHTTPServerError(.invalidAddress, address: address)
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(storage.ss_family), type, Int32(IPPROTO_TCP))
        guard descriptor >= 0 else {
            throw MicroHTTPServerError(.outOfResources, address: address, errorNumber: errno)
        }
        // A restarted server may listen while connections of the last one linger in TIME_WAIT.
        setOption(of: descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // Peers that vanished without a word while a handler works are found out within two minutes.
        setOption(of: descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(of: descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        setOption(of: descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        setOption(of: descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        setOption(of: descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, sendIdleMilliseconds)
        if storage.ss_family == sa_family_t(AF_INET6) {
            // `::` and `0.0.0.0` are two listeners; addresses mapped from one to the other would have two spellings.
            setOption(of: descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        let bound = withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            let reason = errno
            close(descriptor)
            throw MicroHTTPServerError(.cannotListen, address: address, errorNumber: reason)
        }
        return descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Gives the descriptor away: it is not closed here any more.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// The port that is listened on, 0 when the system does not tell.
    var port: UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return 0 }
                // The port is at the same place in addresses of both families.
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
    }

    /// Options that a kernel lacks make no server useless: failures are not looked at.
    private static func setOption(of descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func fill(_ storage: inout sockaddr_storage, from address: ListenAddress) -> socklen_t? {
        withUnsafeMutableBytes(of: &storage) { bytes -> socklen_t? in
            var v4 = sockaddr_in()
            if inet_pton(AF_INET, address.host, &v4.sin_addr) == 1 {
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = address.port.bigEndian
                bytes.storeBytes(of: v4, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            }
            var v6 = sockaddr_in6()
            if inet_pton(AF_INET6, address.host, &v6.sin6_addr) == 1 {
                v6.sin6_family = sa_family_t(AF_INET6)
                v6.sin6_port = address.port.bigEndian
                bytes.storeBytes(of: v6, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            }
            return nil
        }
    }
}
