import Authentication
import ResponseSerialization
import Transfer

extension SessionError {
    /// The error of a request that could not be proved to be the session's.
    init(_ error: AuthenticationError) {
        let code = SessionErrorCode(rawValue: error.code.rawValue) ?? .transportError
        self.init(code, error.message, isRetryable: error.isRetryable)
    }

    /// The error of content that is not what its serializer reads.
    init(_ error: ResponseSerializationError) {
        switch error.kind {
        case .unparsable: self.init(.unparsableBody, error.message)
        case .unacceptableContent: self.init(.unacceptableContentType, error.message)
        }
    }
}
