import Glibc

/// Why a server cannot start.
public struct MicroHTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable {
        private enum Value: Hashable {
            case invalidAddress, cannotListen, outOfResources, daemonRefused, alreadyStarted
        }

        private let value: Value

        /// The host is not an IPv4 or IPv6 address, or no address is given.
        public static let invalidAddress = Code(value: .invalidAddress)
        /// The address cannot be listened on: it is in use, not of this machine, or its port is privileged.
        public static let cannotListen = Code(value: .cannotListen)
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

    init(_ code: Code, address: ListenAddress? = nil, errorNumber: Int32 = 0) {
        self.code = code
        self.address = address
        self.errorNumber = errorNumber
    }

    /// The failure as a sentence.
    public var description: String {
        let place = address.map(\.description) ?? "an address"
        let reason = errorNumber == 0 ? "" : ": \(String(cString: strerror(errorNumber)))"
        return switch code {
        case .invalidAddress: "\(place) is not an address to listen on"
        case .cannotListen: "cannot listen on \(place)\(reason)"
        case .outOfResources: "the server cannot start\(reason)"
        case .daemonRefused: "libmicrohttpd does not start on \(place)"
        default: "the server has been started before"
        }
    }
}
