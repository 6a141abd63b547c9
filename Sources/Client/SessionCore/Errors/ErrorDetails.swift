import ErrandAuthentication
import ErrandLocking

/// The parts of an error that do not identify it: the response that came with it, an error of the program, and whether
/// this machine is the cause.
///
/// Errors that differ only in these parts are equal, and a description does not contain them. They are behind one
/// reference, so that an error without them is hardly larger, and the response is not copied.
struct ErrorDetails: Sendable {
    private let shared: Shared<Parts>?

    private struct Parts: Sendable {
        var response: SessionResponse?
        var maxBytes: Int64 = 0
        var cause: (any Error)?
        var isLocal = false
    }

    /// The details of an error whose cause is this machine.
    static let local = ErrorDetails(Parts(isLocal: true))

    /// Creates details without parts.
    init() {
        shared = nil
    }

    /// Creates the details of an error that an error of the program has caused.
    init(cause: any Error) {
        self.init(Parts(cause: cause))
    }

    /// Returns the details with a response, of whose content at most `maxBytes` are shown.
    func with(_ response: SessionResponse, maxBytes: Int64) -> ErrorDetails {
        ErrorDetails(Parts(response: response, maxBytes: maxBytes, cause: cause, isLocal: isLocal))
    }

    private init(_ parts: Parts) {
        shared = Shared(parts)
    }

    /// The response, with the beginning of its content; computed when it is read.
    var response: SessionResponse? {
        guard let parts = shared?.value else { return nil }
        return parts.response?.truncated(to: parts.maxBytes)
    }

    /// The error of the program.
    var cause: (any Error)? { shared?.value.cause }

    /// True if this machine had no resource for the connection.
    var isLocal: Bool { shared?.value.isLocal ?? false }
}

extension ErrorDetails: Hashable {
    static func == (one: ErrorDetails, other: ErrorDetails) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension ErrorDetails: RedactedReflection {
    var description: String { "details" }
}
