public import ErrandTransfer

extension SessionError {
    /// Creates the error of a request with an invalid URL.
    public init(_ error: HTTPURLError) {
        let code: SessionErrorCode = if case .unsupportedScheme = error { .unsupportedURL } else { .badURL }
        self.init(code, error.description)
    }
}
