public import ErrandTransfer
public import HTTPTypes

/// An adapter that sets a header field to a value that a closure returns.
public struct HeaderAdapter: RequestAdapter {
    private let name: HTTPField.Name
    private let value: @Sendable () async throws -> String?

    /// Creates an adapter.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: Returns the value before each attempt, or `nil` to remove the field.
    public init(_ name: HTTPField.Name, _ value: @escaping @Sendable () async throws -> String?) {
        self.name = name
        self.value = value
    }

    /// Sets the field.
    public func adapt(_ request: TransferRequest) async throws -> TransferRequest {
        var request = request
        let value = try await self.value()
        request.headers[fields: name] = value.map { [HTTPField(name: name, value: $0)] } ?? []
        return request
    }
}

extension RequestAdapter where Self == HeaderAdapter {
    /// Returns an adapter that sets a header field to the value that a closure returns; `nil` removes it.
    ///
    /// `nil` for `Accept-Encoding` removes only a value that the session or the request has set: the codings that the
    /// session decodes are offered then, as without any value. The value `identity` asks for content without a coding.
    /// A response is passed on as it is if the value offers a coding that the session does not decode, or if `Range` is
    /// set.
    public static func header(
        _ name: HTTPField.Name, _ value: @escaping @Sendable () async throws -> String?
    ) -> Self {
        HeaderAdapter(name, value)
    }
}
