import ErrandAuthentication

/// The parts of an error that do not identify it: the response that came with it, and an error of the program.
///
/// Errors that differ only in these parts are equal, and a description does not contain them. They are behind one
/// reference, so that an error without them is hardly larger, and the response is not copied.
struct ErrorDetails: Sendable {
    private let storage: Storage?

    private final class Storage: Sendable {
        let response: SessionResponse?
        let maxBytes: Int64
        let cause: (any Error)?

        init(response: SessionResponse?, maxBytes: Int64, cause: (any Error)?) {
            self.response = response
            self.maxBytes = maxBytes
            self.cause = cause
        }
    }

    /// Creates details without parts.
    init() {
        storage = nil
    }

    /// Creates the details of an error that an error of the program has caused.
    init(cause: any Error) {
        storage = Storage(response: nil, maxBytes: 0, cause: cause)
    }

    /// Returns the details with a response, of whose content at most `maxBytes` are shown.
    func with(_ response: SessionResponse, maxBytes: Int64) -> ErrorDetails {
        ErrorDetails(Storage(response: response, maxBytes: maxBytes, cause: cause))
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }

    /// The response, with the beginning of its content; computed when it is read.
    var response: SessionResponse? {
        guard let storage else { return nil }
        return storage.response?.truncated(to: storage.maxBytes)
    }

    /// The error of the program.
    var cause: (any Error)? { storage?.cause }
}

extension ErrorDetails: Hashable {
    static func == (one: ErrorDetails, other: ErrorDetails) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension ErrorDetails: RedactedReflection {
    var description: String { "details" }
}
