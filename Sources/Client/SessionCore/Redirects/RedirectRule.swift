import ErrandTransfer
import HTTPTypes

/// The rule that derives the next request from a redirect (RFC 9110 §15.4).
///
/// | status | method | becomes |
/// | --- | --- | --- |
/// | 301, 302 | POST | GET without content, unless the policy keeps the method |
/// | 301, 302 | any other | unchanged, with its content |
/// | 303 | HEAD | HEAD |
/// | 303 | any other | GET without content |
/// | 307, 308 | any | unchanged, with its content |
///
/// A response with another status, and a redirect without `Location` or with an empty one, is not a redirect. Pure.
struct RedirectRule: Sendable {
    let policy: RedirectPolicy

    /// The verdict on a response.
    enum Verdict: Sendable {
        /// It is the final response.
        case response
        /// It redirects to another request.
        case follow(Target)
        /// It is the final response, and an error unless its status is acceptable.
        case refused(SessionError)
        /// It is the final response, and an error.
        case failed(SessionError)
    }

    /// The target of a redirect.
    struct Target: Sendable, Hashable {
        var url: HTTPURL
        var method: HTTPRequest.Method
        /// True if the content and the fields that describe it are dropped.
        var dropsContent: Bool
    }

    /// Decides on the response to a request.
    ///
    /// - Parameter count: The number of redirects followed before.
    func verdict(on head: ResponseHead, to request: TransferRequest, after count: Int) -> Verdict {
        // Not by subscript, which would join several fields into an invalid URL.
        guard let keepsMethod = keepsMethod(head.status, request.method),
            let location = head.headers.first(where: { $0.name == .location })?.value, !location.isEmpty
        else { return .response }
        guard policy.mode != .refuse else {
            return .refused(SessionError(.redirectRefused, "The session does not follow redirects"))
        }
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try request.url.resolving(location)
        } catch {
            let error = SessionError(error)
            return .failed(SessionError(error.code, "The redirect target is invalid: \(error.message)"))
        }
        guard policy.mode != .sameOrigin || url.isSameOrigin(as: request.url) else {
            return .refused(SessionError(.redirectRefused, "The session does not follow redirects to another origin"))
        }
        guard count < policy.limit else {
            return .failed(SessionError(.tooManyRedirects, "More than \(policy.limit) redirects"))
        }
        let method: HTTPRequest.Method = keepsMethod ? request.method : .get
        return .follow(Target(url: url, method: method, dropsContent: !keepsMethod))
    }

    /// Returns true if the next request keeps the method; `nil` if the status is not a redirect.
    private func keepsMethod(_ status: Int, _ method: HTTPRequest.Method) -> Bool? {
        switch status {
        case 301, 302: method != .post || policy.keepsMethodOn301And302
        case 303: method == .head || method == .get
        case 307, 308: true
        default: nil
        }
    }
}
