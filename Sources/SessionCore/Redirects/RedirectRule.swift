import HTTPTypes
import Transfer

/// What a response that redirects makes of the request that it answers (RFC 9110 §15.4).
///
/// | status | method | becomes |
/// | --- | --- | --- |
/// | 301, 302 | POST | GET without content, unless the policy keeps the method |
/// | 301, 302 | any other | the same, with its content |
/// | 303 | HEAD | HEAD |
/// | 303 | any other | GET without content |
/// | 307, 308 | any | the same, with its content |
///
/// Anything else, and a redirect without `Location`, is a response like others. Pure.
struct RedirectRule: Sendable {
    let policy: RedirectPolicy

    /// What becomes of a response.
    enum Verdict: Sendable {
        /// It is the one that was asked for.
        case response
        /// It leads to another request.
        case follow(Target)
        /// It is the response, and an error unless its status is acceptable.
        case refused(SessionError)
        /// It is the response, and an error.
        case failed(SessionError)
    }

    /// Where a redirect leads.
    struct Target: Sendable, Hashable {
        var url: HTTPURL
        var method: HTTPRequest.Method
        /// The content and what describes it are left behind.
        var dropsContent: Bool
    }

    /// Judges the answer to a request.
    ///
    /// - Parameter count: The redirects that were followed before.
    func verdict(on head: ResponseHead, to request: TransferRequest, after count: Int) -> Verdict {
        // Not by subscript: several fields would be joined into something that is no URL.
        guard let keepsMethod = keepsMethod(head.status, request.method),
            let location = head.headers.first(where: { $0.name == .location })?.value
        else { return .response }
        guard policy.mode != .refuse else {
            return .refused(SessionError(.redirectRefused, "The session does not follow redirects"))
        }
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try request.url.resolving(location)
        } catch {
            let error = SessionError(error)
            return .failed(SessionError(error.code, "The redirect leads nowhere: \(error.message)"))
        }
        guard policy.mode != .sameOrigin || url.isSameOrigin(as: request.url) else {
            return .refused(SessionError(.redirectRefused, "The session does not follow redirects to another origin"))
        }
        guard count < policy.limit else {
            return .failed(SessionError(.tooManyRedirects, "There were more than \(policy.limit) redirects"))
        }
        let method: HTTPRequest.Method = keepsMethod ? request.method : .get
        return .follow(Target(url: url, method: method, dropsContent: !keepsMethod))
    }

    /// Whether the next request has the method of this one; `nil` for a status that does not redirect.
    private func keepsMethod(_ status: Int, _ method: HTTPRequest.Method) -> Bool? {
        switch status {
        case 301, 302: method != .post || policy.keepsMethodOn301And302
        case 303: method == .head || method == .get
        case 307, 308: true
        default: nil
        }
    }
}
