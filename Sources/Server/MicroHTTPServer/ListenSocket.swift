import Glibc

/// A listening socket.
///
/// The connections that it accepts inherit its options.
struct ListenSocket: ~Copyable {
    let descriptor: Int32
    /// The file of a Unix socket.
    let file: SocketFile?
    private var isOwned = true

    /// Binds the socket and listens.
    ///
    /// - Parameter sendIdleMilliseconds: `TCP_USER_TIMEOUT` of the connections.
    init(_ address: ListenAddress, sendIdleMilliseconds: Int32) throws(MicroHTTPServerError) {
        (descriptor, file) =
            switch address {
            case .tcp(let host, let port):
                (
                    try Self.listen(
                        on: address, host: host, port: port, sendIdleMilliseconds: sendIdleMilliseconds), nil
                )
            case .unix(let path, let mode):
                try Self.listen(on: address, path: path, mode: mode)
            }
    }

    private static func listen(
        on address: ListenAddress, path: String, mode: UInt16
    ) throws(MicroHTTPServerError) -> (Int32, SocketFile?) {
        let descriptor = try open(AF_UNIX, for: address)
        do throws(MicroHTTPServerError) {
            return (descriptor, try SocketFile.listen(descriptor, path: path, mode: mode))
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func open(_ family: Int32, for address: ListenAddress) throws(MicroHTTPServerError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else {
            throw MicroHTTPServerError(.outOfResources, address: address, errorNumber: errno)
        }
        return descriptor
    }

    private static func listen(
        on address: ListenAddress, host: String, port: UInt16, sendIdleMilliseconds: Int32
    ) throws(MicroHTTPServerError) -> Int32 {
        var storage = sockaddr_storage()
        guard let length = fill(&storage, host: host, port: port) else {
            throw MicroHTTPServerError(.invalidAddress, address: address)
        }
        let descriptor = try open(Int32(storage.ss_family), for: address)
        // A restarted server may listen while connections of the previous process are in TIME_WAIT.
        setOption(SO_REUSEADDR, level: SOL_SOCKET, of: descriptor, to: 1)
        // Peers that disappear while a handler works are detected after TCP_USER_TIMEOUT. It overrides the number of
        // probes (TCP_KEEPCNT): several have to fit into it, so that a lost one does not end an idle connection.
        setOption(SO_KEEPALIVE, level: SOL_SOCKET, of: descriptor, to: 1)
        let (idle, interval) = keepAliveSeconds(sendIdleMilliseconds: sendIdleMilliseconds)
        setOption(TCP_KEEPIDLE, level: Int32(IPPROTO_TCP), of: descriptor, to: idle)
        setOption(TCP_KEEPINTVL, level: Int32(IPPROTO_TCP), of: descriptor, to: interval)
        setOption(TCP_USER_TIMEOUT, level: Int32(IPPROTO_TCP), of: descriptor, to: sendIdleMilliseconds)
        if storage.ss_family == sa_family_t(AF_INET6) {
            // `::` and `0.0.0.0` are two listeners; mapped addresses would have two spellings.
            setOption(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), of: descriptor, to: 1)
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

    /// Returns the time before the first keep-alive probe, and the time between two: 10 s and 5 s of 30 s.
    private static func keepAliveSeconds(sendIdleMilliseconds: Int32) -> (idle: Int32, interval: Int32) {
        (min(max(sendIdleMilliseconds / 3000, 1), 60), min(max(sendIdleMilliseconds / 6000, 1), 15))
    }

    deinit {
        guard isOwned else { return }
        file?.remove()
        close(descriptor)
    }

    /// Gives up ownership: the descriptor is no longer closed here, and the file no longer removed.
    consuming func release() {
        isOwned = false
    }

    /// Returns the bound address: the given one with the actual port.
    func bound(_ address: ListenAddress) -> ListenAddress {
        switch address {
        case .tcp(let host, _): .tcp(host: host, port: port)
        case .unix: address
        }
    }

    /// The port, or 0 if the system does not report it.
    private var port: UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return 0 }
                // The port is at the same offset in addresses of both families.
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
    }

    /// Sets an option; failures are ignored, because the server works without the options that a kernel lacks.
    private static func setOption(_ option: Int32, level: Int32, of descriptor: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func fill(_ storage: inout sockaddr_storage, host: String, port: UInt16) -> socklen_t? {
        withUnsafeMutableBytes(of: &storage) { bytes -> socklen_t? in
            var v4 = sockaddr_in()
            if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = port.bigEndian
                bytes.storeBytes(of: v4, as: sockaddr_in.self)
                return socklen_t(MemoryLayout<sockaddr_in>.size)
            }
            var v6 = sockaddr_in6()
            if inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 {
                v6.sin6_family = sa_family_t(AF_INET6)
                v6.sin6_port = port.bigEndian
                bytes.storeBytes(of: v6, as: sockaddr_in6.self)
                return socklen_t(MemoryLayout<sockaddr_in6>.size)
            }
            return nil
        }
    }
}
