import ErrandHTTPServer
import ErrandTime
import HTTPTypes
package import Logging

/// The part of a request that only the gateway knows, for the access log.
///
/// The server keeps it with the response and returns it when that has ended.
final class AccessTag: Sendable {
    /// The id of the request.
    let requestID: String?
    /// The name of the token; `nil` without a known token.
    let tokenName: String?
    /// The identifier of the trace that the client continues; `nil` without one.
    let traceID: String?

    /// Creates a tag.
    init(requestID: String? = nil, tokenName: String? = nil, traceID: String? = nil) {
        self.requestID = requestID
        self.tokenName = tokenName
        self.traceID = traceID
    }
}

/// The access log: a line for each request whose response has ended (`logging.access`).
///
/// The pipeline in force gives a tag to each response if the log is on, so that nothing is done for others. A line has
/// the pattern of the route and neither target nor query, which may contain identifiers and secrets. Any thread.
package struct AccessLog: Sendable {
    private let logger: Logger

    /// The routes that monitoring calls every few seconds, whose lines have the level `debug`.
    private static let monitored: Set<String> = ["/healthz", "/readyz", "/metrics"]

    /// Creates an access log that writes to `logger`.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a request, whose response has ended.
    func note(_ response: EndedResponse) {
        let level: Logger.Level = response.route.map(Self.monitored.contains) ?? false ? .debug : .info
        logger.log(level: level, "Request", metadata: Self.metadata(of: response))
    }

    private static func metadata(of response: EndedResponse) -> Logger.Metadata {
        let tag = response.tag as? AccessTag
        var metadata = Logger.Metadata(minimumCapacity: 10)
        metadata["route"] = .string(response.route ?? RequestMeters.otherRoute)
        metadata["status"] = .stringConvertible(response.status.code)
        metadata["duration_ms"] = .stringConvertible(
            Double(response.duration.wholeMicroseconds) / 1000)
        metadata["client"] = .string(response.remoteAddress.isEmpty ? "unix" : response.remoteAddress)
        if response.method != nil { metadata["method"] = .string(RouteMeter.label(of: response.method)) }
        if let bytes = response.contentBytes { metadata["bytes"] = .stringConvertible(bytes) }
        if !response.isComplete { metadata["complete"] = .stringConvertible(false) }
        if let token = tag?.tokenName { metadata["token"] = .string(token) }
        if let id = tag?.requestID { metadata["request_id"] = .string(id) }
        if let trace = tag?.traceID { metadata["trace_id"] = .string(trace) }
        return metadata
    }
}
