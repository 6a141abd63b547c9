public import HTTPTypes

/// A problem type (RFC 9457 §3.1.1), which determines `type`, `title` and usually `status`.
///
/// The types that the server itself needs are declared here; a service adds its own in the same way, as static members
/// of an extension.
public struct ProblemType: Sendable, Hashable {
    /// The last segment of the type's path: `not-found` for `/problems/not-found`.
    public let name: String
    /// The meaning of the type, the same sentence in every response.
    public let title: String
    /// The default status.
    public let status: HTTPResponse.Status

    /// Creates a type.
    public init(name: String, title: String, status: HTTPResponse.Status) {
        self.name = name
        self.title = title
        self.status = status
    }

    /// The value of the `type` member: a path on the same server that documents the type.
    public var path: String { "/problems/\(name)" }
}

extension ProblemType {
    /// 400: the message is not valid HTTP, or is ambiguous.
    public static let malformedRequest = ProblemType(
        name: "malformed-request", title: "The request is malformed", status: .badRequest)
    /// 403: a client certificate is required here, and the client has not sent an acceptable one.
    public static let clientCertificateRefused = ProblemType(
        name: "client-certificate-refused", title: "The client certificate is missing or not accepted",
        status: .forbidden)
    /// 404: the resource does not exist.
    public static let notFound = ProblemType(name: "not-found", title: "The resource does not exist", status: .notFound)
    /// 405: the path exists, but not for this method.
    public static let methodNotAllowed = ProblemType(
        name: "method-not-allowed", title: "The method is not allowed here", status: .methodNotAllowed)
    /// 408: the request did not arrive in time.
    public static let requestTimeout = ProblemType(
        name: "request-timeout", title: "The request did not arrive in time", status: .requestTimeout)
    /// 413: the content is longer than its limit.
    public static let contentTooLarge = ProblemType(
        name: "content-too-large", title: "The content is too large", status: .contentTooLarge)
    /// 414: the request target is longer than its limit.
    public static let targetTooLong = ProblemType(
        name: "target-too-long", title: "The request target is too long", status: .uriTooLong)
    /// 417: an expectation other than `100-continue`.
    public static let expectationFailed = ProblemType(
        name: "expectation-failed", title: "The expectation cannot be met", status: .expectationFailed)
    /// 431: the header fields are longer than their limit.
    public static let headersTooLarge = ProblemType(
        name: "headers-too-large", title: "The header fields are too large", status: .requestHeaderFieldsTooLarge)
    /// 500: a fault of the server; the client learns no details.
    public static let internalError = ProblemType(
        name: "internal-error", title: "The server has failed", status: .internalServerError)
    /// 501: the server does not implement the method.
    public static let methodNotImplemented = ProblemType(
        name: "method-not-implemented", title: "The method is not implemented", status: .notImplemented)
    /// 503: requests and responses of other clients use all memory that the server may hold; a later attempt may
    /// succeed.
    public static let overloaded = ProblemType(
        name: "overloaded", title: "The server is overloaded", status: .serviceUnavailable)
    /// 503: the server is stopping.
    public static let stopping = ProblemType(
        name: "stopping", title: "The server is stopping", status: .serviceUnavailable)

    /// 505: a version of HTTP other than 1.0 and 1.1.
    public static let versionNotSupported = ProblemType(
        name: "version-not-supported", title: "The HTTP version is not supported",
        status: .httpVersionNotSupported)

    /// The types that the server and its router use by themselves.
    public static let serverTypes: [ProblemType] = [
        .malformedRequest, .clientCertificateRefused, .notFound, .methodNotAllowed, .requestTimeout, .contentTooLarge,
        .targetTooLong, .expectationFailed, .headersTooLarge, .internalError, .methodNotImplemented, .overloaded,
        .stopping, .versionNotSupported,
    ]
}
