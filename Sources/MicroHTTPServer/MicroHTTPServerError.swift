import Glibc

/// Why a server cannot start.
public struct MicroHTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        private enum Value: Hashable {
            case invalidAddress, cannotListen, notASocket, invalidCertificate, invalidAuthorities, outOfResources
            case daemonRefused, alreadyStarted
        }

        private let value: Value

        /// The host is not an IPv4 or IPv6 address, the path of a Unix socket is empty or too long, its mode is more
        /// than permissions, or no address is given.
        public static let invalidAddress = Code(value: .invalidAddress)
        /// The address cannot be listened on: it is in use, not of this machine, or its port is privileged; or the
        /// directory of a Unix socket does not permit it.
        public static let cannotListen = Code(value: .cannotListen)
        /// Something else than a socket is where the Unix socket should be.
        public static let notASocket = Code(value: .notASocket)
        /// The certificate chain or its key cannot be read, or they do not belong together.
        public static let invalidCertificate = Code(value: .invalidCertificate)
        /// There is no certificate among the authorities of clients, or one cannot be read.
        public static let invalidAuthorities = Code(value: .invalidAuthorities)
        /// The process is out of descriptors or threads.
        public static let outOfResources = Code(value: .outOfResources)
        /// libmicrohttpd does not start; its log says why.
        public static let daemonRefused = Code(value: .daemonRefused)
        /// The server has been started before.
        public static let alreadyStarted = Code(value: .alreadyStarted)
    }

    /// The kind of failure.
    public let code: Code
    /// The address that it is about, if it is about one.
    public let address: ListenAddress?
    /// The `errno` of the system call that failed, or 0.
    public let errorNumber: Int32

    /// What GnuTLS says about certificates; `nil` for other failures.
    public let reason: String?

    init(_ code: Code, address: ListenAddress? = nil, errorNumber: Int32 = 0, reason: String? = nil) {
        self.code = code
        self.reason = reason
        self.address = address
        self.errorNumber = errorNumber
    }

    /// The failure as a sentence.
    public var description: String {
        let place = address.map(\.description) ?? "an address"
        let reason = reason.map { ": \($0)" } ?? (errorNumber == 0 ? "" : ": \(String(cString: strerror(errorNumber)))")
        return switch code {
        case .invalidAddress: "\(place) is not an address to listen on"
        case .cannotListen: "cannot listen on \(place)\(reason)"
        case .notASocket: "cannot listen on \(place): there is a file that is not a socket"
        case .invalidCertificate: "the certificate of the server and its key cannot be used\(reason)"
        case .invalidAuthorities: "the authorities of client certificates cannot be used\(reason)"
        case .outOfResources: "the server cannot start\(reason)"
        case .daemonRefused: "libmicrohttpd does not start on \(place)"
        default: "the server has been started before"
        }
    }
}
