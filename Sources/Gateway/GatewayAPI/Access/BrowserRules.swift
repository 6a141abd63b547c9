import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// The rules for requests of web pages, since any page can make a local browser send requests to the gateway.
///
/// | request | response |
/// | --- | --- |
/// | `Origin` that is neither the gateway's own nor configured, or `Sec-Fetch-Site: cross-site` | 403 |
/// | without tokens, a `Host` that is neither local nor configured (DNS rebinding); see ``hosts`` | 421 |
/// | CORS preflight of a configured origin | 204 with the allowed methods and headers |
struct BrowserRules: HTTPHandler {
    let inner: any HTTPHandler
    /// The origins, such as `https://console.example.com`, whose pages may use the gateway.
    let corsOrigins: Set<String>
    /// The allowed values of `Host`; `nil` for any: clients must send a token, except for operations, whose `Host`
    /// ``AccessControl`` checks, or are anonymous under unknown names.
    let hosts: HostNames?
    /// The audit log for refused requests.
    let audit: AuditLog

    func admit(_ head: RequestHead, route: inout String?) -> RequestDisposition {
        if let hosts, !hosts.contains(authority: head.host) {
            return refuse(head, with: .misdirectedRequest, detail: Self.detail(ofHost: head.host))
        }
        guard let origin = head.headers[.origin] else {
            guard head.headers[.fetchSite] != "cross-site" else { return refuseOrigin(of: head) }
            return inner.admit(head, route: &route)
        }
        if corsOrigins.contains(origin) {
            let isPreflight = head.method == .options && head.headers.contains(.corsRequestMethod)
            let disposition = isPreflight ? .immediate(Self.preflight) : inner.admit(head, route: &route)
            return disposition.changingResponses { Self.allow(origin, in: &$0) }
        }
        guard isOwn(origin, head), head.headers[.fetchSite] != "cross-site" else {
            return refuseOrigin(of: head)
        }
        return inner.admit(head, route: &route)
    }

    /// Returns true for a page of the gateway itself: its origin has the authority of the request.
    private func isOwn(_ origin: String, _ head: RequestHead) -> Bool {
        guard let host = head.host?.lowercased() else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// Returns the detail of a problem about a `Host` that is no name of the gateway.
    static func detail(ofHost host: String?) -> String {
        guard let host, !host.isEmpty else {
            return "the request has no Host field; send the name or address of the gateway"
        }
        return """
            the Host "\(host.shortened(toBytes: 100))" is not a name of this gateway; use its listening address, or add \
            the name to server.hosts
            """
    }

    private func refuseOrigin(of head: RequestHead) -> RequestDisposition {
        refuse(head, with: .crossOrigin, detail: "the origin is not listed in server.cors.origins")
    }

    private func refuse(_ head: RequestHead, with type: ProblemType, detail: String) -> RequestDisposition {
        audit.refused(AuditLog.Entry(head: head), type.status)
        return .immediate(head.response(type, detail))
    }

    private static let preflight = ServerResponse(
        status: .noContent,
        headers: [
            .corsAllowMethods: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            .corsAllowHeaders:
                """
            Authorization, Content-Digest, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, \
            Prefer, Range, traceparent, tracestate, X-Request-Id
            """,
            .corsMaxAge: "600",
        ])

    private static func allow(_ origin: String, in response: inout ServerResponse) {
        response.headers[.corsAllowOrigin] = origin
        response.headers[.corsExposeHeaders] =
            """
            Content-Range, ETag, Idempotent-Replayed, Location, Preference-Applied, RateLimit, RateLimit-Policy, \
            Retry-After, WWW-Authenticate, X-Request-Id
            """
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
    }
}
