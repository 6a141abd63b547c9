public import ErrandTransfer

/// A handler that follows or refuses all redirects, or asks a closure.
public struct Redirector: RedirectHandler {
    private let decide: @Sendable (TransferRequest, ResponseHead) async -> TransferRequest?

    /// Creates a handler from a closure that returns the request to send next, or `nil` to refuse the redirect.
    public init(_ decide: @escaping @Sendable (TransferRequest, ResponseHead) async -> TransferRequest?) {
        self.decide = decide
    }

    /// Calls the closure.
    public func redirect(to request: TransferRequest, after response: ResponseHead) async -> TransferRequest? {
        await decide(request, response)
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows all redirects that the session's policy allows.
    public static var follow: Self { Redirector { request, _ in request } }

    /// Refuses all redirects.
    public static var doNotFollow: Self { Redirector { _, _ in nil } }

    /// Returns a handler that asks a closure.
    public static func modify(
        _ decide: @escaping @Sendable (TransferRequest, ResponseHead) async -> TransferRequest?
    ) -> Self {
        Redirector(decide)
    }
}
