public import ErrandTransfer

/// An adapter that is a closure.
public struct RequestModifier: RequestAdapter {
    private let change: @Sendable (inout TransferRequest) async throws -> Void

    /// Creates an adapter from a closure that changes the request.
    public init(_ change: @escaping @Sendable (inout TransferRequest) async throws -> Void) {
        self.change = change
    }

    /// Calls the closure.
    public func adapt(_ request: TransferRequest) async throws -> TransferRequest {
        var request = request
        try await change(&request)
        return request
    }
}

extension RequestAdapter where Self == RequestModifier {
    /// Returns an adapter that is a closure.
    public static func modifying(
        _ change: @escaping @Sendable (inout TransferRequest) async throws -> Void
    ) -> Self {
        RequestModifier(change)
    }
}
