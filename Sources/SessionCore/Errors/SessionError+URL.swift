public import Transfer

extension SessionError {
    /// The error of a request whose URL is none.
    public init(_ error: HTTPURLError) {
        let code: SessionErrorCode = if case .unsupportedScheme = error { .unsupportedURL } else { .badURL }
        self.init(code, error.description)
    }
}
