import HTTPServer
import HTTPTypes

/// Browsers are not trusted for being on the same machine: any page that they show can make them send requests here.
///
/// | request | answer |
/// | --- | --- |
/// | `Origin` of a page that is neither the gateway's own nor configured, or `Sec-Fetch-Site: cross-site` | 403 |
/// | without tokens, a `Host` that is not this machine's and not configured (DNS rebinding) | 421 |
/// | CORS preflight of a configured origin | 204 with what it may do |
struct BrowserRules: HTTPHandler {
    let inner: any HTTPHandler
    /// The origins, `https://console.example.com`, whose pages may use the gateway.
    let corsOrigins: Set<String>
    /// The hosts that `Host` may name; `nil` when any may, because clients have to show a token.
    let hosts: HostNames?
    /// Where refused requests are written down.
    let audit: AuditLog

    func admit(_ head: RequestHead) -> HTTPServer.Admission {
        if let hosts, !hosts.contains(authority: head.headers[.host]) {
            return refuse(head, .misdirectedRequest, "Host names another server than this one")
        }
        guard let origin = head.headers[.origin] else {
            guard head.headers[.fetchSite] != "cross-site" else { return refuseOrigin(of: head) }
            return inner.admit(head)
        }
        if corsOrigins.contains(origin) {
            let isPreflight = head.method == .options && head.headers.contains(.corsRequestMethod)
            let admission = isPreflight ? .answer(Self.preflight) : inner.admit(head)
            return admission.mappingAnswers { Self.allowing(origin, $0) }
        }
        guard isOwn(origin, head), head.headers[.fetchSite] != "cross-site" else {
            return refuseOrigin(of: head)
        }
        return inner.admit(head)
    }

    /// A page of the gateway itself: the origin has the authority that the request was sent to.
    private func isOwn(_ origin: String, _ head: RequestHead) -> Bool {
        guard let host = head.headers[.host]?.lowercased() else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private func refuseOrigin(of head: RequestHead) -> HTTPServer.Admission {
        refuse(head, .crossOrigin, "pages of this origin may not use the gateway; see cors.origins")
    }

    private func refuse(_ head: RequestHead, _ type: ProblemType, _ detail: String) -> HTTPServer.Admission {
        audit.refused(AuditLog.Entry(head: head), type.status)
        return .answer(head.answer(type, detail))
    }

    private static let preflight = ServerResponse(
        status: .noContent,
        headers: [
            .corsAllowMethods: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            .corsAllowHeaders:
                "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Prefer, Range, X-Request-Id",
            .corsMaxAge: "600",
        ])

    private static func allowing(_ origin: String, _ response: ServerResponse) -> ServerResponse {
        var response = response
        response.headers[.corsAllowOrigin] = origin
        response.headers[.corsExposeHeaders] =
            """
            Content-Range, ETag, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, \
            WWW-Authenticate, X-Request-Id
            """
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        return response
    }
}
