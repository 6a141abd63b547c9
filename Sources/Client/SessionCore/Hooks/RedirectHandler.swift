public import ErrandTransfer

/// A hook that changes or refuses redirects.
///
/// Asked for each redirect that the session's ``RedirectPolicy`` allows, after its content was received.
public protocol RedirectHandler: Sendable {
    /// Returns the request to send next, or `nil` to refuse the redirect.
    ///
    /// A refused redirect is the response, with its content, and an error (``SessionErrorCode/redirectRefused``) unless
    /// its status is acceptable. A changed request is subject to the session's rules for methods and header fields; on
    /// another origin it gets neither the session's credentials nor its header fields, and of the request's own fields
    /// that carry secrets only those that a handler has changed.
    ///
    /// Content that is kept is sent again from its beginning. If it cannot be read again, a handler can still refuse
    /// the redirect, or choose a request without content or with another source; otherwise the attempt fails with
    /// ``SessionErrorCode/bodyStreamExhausted``, and the redirect is its response.
    ///
    /// - Parameters:
    ///   - request: The request that follows from the redirect, or that the previous handler returned; without the
    ///     session's cookies and credentials.
    ///   - response: The head of the redirect.
    func redirect(to request: TransferRequest, after response: ResponseHead) async -> TransferRequest?
}
