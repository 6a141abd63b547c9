public import ErrandRequestSerialization
public import ErrandResponseSerialization
public import ErrandSessionCore

/// Options of one request that replace those of its session.
///
/// | option | default |
/// | --- | --- |
/// | ``requestSerializer`` | ``RequestConfiguration/serializer`` |
/// | ``responseSerializer`` | ``ResponseConfiguration/serializer`` |
/// | ``timeouts`` | ``SessionConfiguration/timeouts`` |
public struct RequestOptions: Sendable, Hashable {
    /// The serializer of the parameters; `nil` for the session's.
    public var requestSerializer: RequestSerializerKind?
    /// The serializer of the response; `nil` for the session's.
    public var responseSerializer: ResponseSerializerChoice?
    /// Timeouts, each of which replaces the session's unless it is `nil`.
    public var timeouts: TaskTimeouts

    /// Creates options; by default those of the session apply.
    public init(
        requestSerializer: RequestSerializerKind? = nil, responseSerializer: ResponseSerializerChoice? = nil,
        timeouts: TaskTimeouts = TaskTimeouts()
    ) {
        self.requestSerializer = requestSerializer
        self.responseSerializer = responseSerializer
        self.timeouts = timeouts
    }
}
