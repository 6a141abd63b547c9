import Glibc
import MicroHTTPServer

/// The reason why the gateway or its log could not start.
struct StartError: Error, CustomStringConvertible {
    let description: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - what: The part that failed.
    ///   - error: The failure.
    ///   - remedy: The setting to change, or another action of the operator, if it is known.
    init(_ what: String, _ error: any Error, remedy: String? = nil) {
        description = "\(what): \(BackupCommand.reason(of: error))\(remedy.map { "; \($0)" } ?? "")"
    }
}

extension MicroHTTPServerError {
    /// The action by which an operator lets the server start; `nil` if the description says it.
    var remedy: String? {
        let change = "change server.listen (or ERRAND_LISTEN)"
        switch (code, errorNumber) {
        case (.cannotListen, EADDRINUSE): return "stop the program that uses the address, or \(change)"
        case (.cannotListen, EADDRNOTAVAIL): return "the address is none of this machine: \(change)"
        case (.cannotListen, EACCES):
            return """
                choose a port from 1024, or a folder in which the user of the gateway may create the socket: \(change)
                """
        case (.cannotListen, _), (.invalidAddress, _), (.notASocket, _): return change
        case (.invalidCertificate, _), (.invalidAuthorities, _): return "check the files of server.tls"
        default: return nil
        }
    }
}
