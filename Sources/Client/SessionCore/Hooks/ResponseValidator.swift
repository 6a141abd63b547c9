public import ErrandTransfer

/// A hook that validates responses which the session has found acceptable and has read.
public protocol ResponseValidator: Sendable {
    /// Returns if the response is acceptable.
    ///
    /// Time spent here counts towards the total timeout, which cancels the calling Swift task, as does canceling the
    /// request.
    ///
    /// - Parameters:
    ///   - response: The response, with its content; that of a download has none.
    ///   - request: The request that it answers; without the session's cookies and credentials.
    /// - Throws: Any error, which ends the attempt: a ``SessionError`` as it is, any other as the
    ///   ``SessionError/cause`` of ``SessionErrorCode/hookFailed``.
    func validate(_ response: SessionResponse, to request: TransferRequest) async throws
}

/// A validator that is a closure.
public struct ResponseCheck: ResponseValidator {
    private let check: @Sendable (SessionResponse) async throws -> Void

    /// Creates a validator from a closure that throws an error for an unacceptable response.
    public init(_ check: @escaping @Sendable (SessionResponse) async throws -> Void) {
        self.check = check
    }

    /// Calls the closure.
    public func validate(_ response: SessionResponse, to request: TransferRequest) async throws {
        try await check(response)
    }
}

extension ResponseValidator where Self == ResponseCheck {
    /// Returns a validator that is a closure; it throws an error for an unacceptable response.
    public static func checking(_ check: @escaping @Sendable (SessionResponse) async throws -> Void) -> Self {
        ResponseCheck(check)
    }
}
