public import RequestSerialization
public import ResponseSerialization
public import SessionCore

/// What one request does otherwise than its session.
///
/// | option | default |
/// | --- | --- |
/// | ``requestSerializer`` | ``RequestConfiguration/serializer`` |
/// | ``responseSerializer`` | ``ResponseConfiguration/serializer`` |
/// | ``timeouts`` | ``SessionConfiguration/timeouts`` |
public struct RequestOptions: Sendable, Hashable {
    /// What turns parameters into content; `nil` for the session's choice.
    public var requestSerializer: RequestSerializerKind?
    /// What reads the response; `nil` for the session's choice.
    public var responseSerializer: ResponseSerializerChoice?
    /// Limits of time, each where it is not `nil`.
    public var timeouts: TaskTimeouts

    /// Creates options; by default all is as the session has it.
    public init(
        requestSerializer: RequestSerializerKind? = nil, responseSerializer: ResponseSerializerChoice? = nil,
        timeouts: TaskTimeouts = TaskTimeouts()
    ) {
        self.requestSerializer = requestSerializer
        self.responseSerializer = responseSerializer
        self.timeouts = timeouts
    }
}
