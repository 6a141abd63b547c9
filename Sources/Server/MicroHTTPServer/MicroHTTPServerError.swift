import ErrandFiles
import Glibc

/// A reason for which a server cannot start, or cannot use other certificates.
public struct MicroHTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        private enum Value: Hashable {
            case invalidAddress, cannotListen, notASocket, invalidCertificate, invalidAuthorities, outOfResources
            case daemonRefused, alreadyStarted, unjudgedReads, noTLS
        }

        private let value: Value

        /// An address is malformed, or no address is given.
        ///
        /// The host is not an IPv4 or IPv6 address, the path of a Unix socket is empty or too long, or its mode has
        /// bits other than permissions.
        public static let invalidAddress = Code(value: .invalidAddress)
        /// The server cannot listen on the address.
        ///
        /// The address is in use or not of this machine, its port is privileged, or the directory of a Unix socket does
        /// not permit it.
        public static let cannotListen = Code(value: .cannotListen)
        /// A file that is not a socket exists at the path of the Unix socket.
        public static let notASocket = Code(value: .notASocket)
        /// The certificate chain or its key cannot be read, or they do not belong together.
        public static let invalidCertificate = Code(value: .invalidCertificate)
        /// The authorities of clients contain no certificate, or one cannot be read.
        public static let invalidAuthorities = Code(value: .invalidAuthorities)
        /// The process is out of descriptors or threads.
        public static let outOfResources = Code(value: .outOfResources)
        /// libmicrohttpd does not start; its log has the reason.
        public static let daemonRefused = Code(value: .daemonRefused)
        /// libmicrohttpd's receive functions are not those of this library.
        ///
        /// The dynamic linker resolves them to another library in this process, so that hostile requests would pass
        /// unseen.
        public static let unjudgedReads = Code(value: .unjudgedReads)
        /// The server has been started before.
        public static let alreadyStarted = Code(value: .alreadyStarted)
        /// The server does not run, or it was started without TLS.
        public static let noTLS = Code(value: .noTLS)
    }

    /// The kind of failure.
    public let code: Code
    /// The address that the failure concerns, if any.
    public let address: ListenAddress?
    /// The `errno` of the system call that failed, or 0.
    public let errorNumber: Int32

    /// The reason from GnuTLS for failures of certificates; `nil` for other failures.
    public let reason: String?

    init(_ code: Code, address: ListenAddress? = nil, errorNumber: Int32 = 0, reason: String? = nil) {
        self.code = code
        self.reason = reason
        self.address = address
        self.errorNumber = errorNumber
    }

    /// True if another server listens on the address.
    public var isAddressInUse: Bool { errorNumber == EADDRINUSE }

    /// A description of the failure.
    public var description: String {
        let place = address.map(\.description) ?? "an address"
        let reason = reason.map { ": \($0)" } ?? (errorNumber == 0 ? "" : ": \(SystemFailure.reason(of: errorNumber))")
        return switch code {
        case .invalidAddress: "\(place) is not an address to listen on"
        case .cannotListen: "cannot listen on \(place)\(reason)"
        case .notASocket: "cannot listen on \(place): there is a file that is not a socket"
        case .invalidCertificate: "the certificate of the server and its key cannot be used\(reason)"
        case .invalidAuthorities: "the authorities of client certificates cannot be used\(reason)"
        case .outOfResources: "the server cannot start\(reason)"
        case .daemonRefused: "libmicrohttpd does not start on \(place)"
        case .unjudgedReads: "the server cannot inspect what libmicrohttpd receives: recv is that of another library"
        case .noTLS: "the server does not run with TLS"
        default: "the server was started before"
        }
    }
}
