import ErrandAuthentication
import ErrandResponseSerialization
import ErrandTransfer

extension SessionError {
    /// Creates the error of a request that could not be authenticated.
    init(_ error: AuthenticationError) {
        let code = SessionErrorCode(rawValue: error.code.rawValue) ?? .transportError
        self.init(code, error.message, isRetryable: error.isRetryable)
    }

    /// Creates the error of content that its serializer cannot read.
    init(_ error: ResponseSerializationError) {
        switch error.kind {
        case .unparsable: self.init(.unparsableBody, error.message)
        case .unacceptableContent: self.init(.unacceptableContentType, error.message)
        }
    }
}
