public import HTTPTypes

/// A kind of problem (RFC 9457 §3.1.1): what `type`, `title` and usually `status` say.
///
/// The types that a server needs by itself are declared here; a service adds its own in the same way, as static
/// members of an extension.
public struct ProblemType: Sendable, Hashable {
    /// The last part of the type's address: `not-found` for `/problems/not-found`.
    public let name: String
    /// What the type means, the same sentence in every answer.
    public let title: String
    /// The status that goes with it.
    public let status: HTTPResponse.Status

    /// Creates a type.
    public init(name: String, title: String, status: HTTPResponse.Status) {
        self.name = name
        self.title = title
        self.status = status
    }

    /// The value of the `type` member: a path on the same server, which explains the type to people.
    public var path: String { "/problems/\(name)" }
}

extension ProblemType {
    /// 400: the message is not proper HTTP, or can be read in two ways.
    public static let malformedRequest = ProblemType(
        name: "malformed-request", title: "The request is malformed", status: .badRequest)
    /// 403: the client has not proved who it is by a certificate, which is required here.
    public static let clientCertificateRefused = ProblemType(
        name: "client-certificate-refused", title: "The client's certificate is missing or refused",
        status: .forbidden)
    /// 404: there is nothing at this path.
    public static let notFound = ProblemType(name: "not-found", title: "There is nothing here", status: .notFound)
    /// 405: the path is known, the method is not for it.
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
    /// 500: a fault of the server, of which the client learns no more.
    public static let internalError = ProblemType(
        name: "internal-error", title: "The server has failed", status: .internalServerError)
    /// 501: a method that the server does not know.
    public static let methodNotImplemented = ProblemType(
        name: "method-not-implemented", title: "The method is not known here", status: .notImplemented)
    /// 503: the server is stopping.
    public static let stopping = ProblemType(
        name: "stopping", title: "The server is stopping", status: .serviceUnavailable)

    /// The types that the server and its router answer with by themselves.
    public static let serverTypes: [ProblemType] = [
        .malformedRequest, .clientCertificateRefused, .notFound, .methodNotAllowed, .requestTimeout, .contentTooLarge,
        .targetTooLong,
        .expectationFailed, .headersTooLarge, .internalError, .methodNotImplemented, .stopping,
    ]
}
