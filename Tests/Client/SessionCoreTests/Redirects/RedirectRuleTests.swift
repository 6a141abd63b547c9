import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("The redirect rule")
struct RedirectRuleTests {
    /// A response to a request, and the expected verdict.
    struct Row: Sendable, CustomTestStringConvertible {
        var rule: String
        var method = HTTPRequest.Method.get
        var status = 302
        var location: String? = "/new"
        var policy = RedirectPolicy()
        var count = 0
        /// The verdict as `METHOD url`, with ` without content` if that is dropped; else its name.
        var expected: String

        var testDescription: String { rule }
    }

    static let rows = [
        Row(rule: "200 is the response", status: 200, expected: "response"),
        Row(rule: "300 offers a choice to the user", status: 300, expected: "response"),
        Row(rule: "304 is not a redirect", status: 304, expected: "response"),
        Row(rule: "305 and 306 are no longer followed (RFC 9110 §15.4.6)", status: 305, expected: "response"),
        Row(rule: "without Location it is not followed", location: nil, expected: "response"),
        Row(rule: "301 keeps GET", status: 301, expected: "GET http://a.com/new"),
        Row(rule: "302 keeps GET", status: 302, expected: "GET http://a.com/new"),
        Row(
            rule: "301 makes GET of POST", method: .post, status: 301, expected: "GET http://a.com/new without content"),
        Row(
            rule: "302 makes GET of POST", method: .post, status: 302, expected: "GET http://a.com/new without content"),
        Row(rule: "302 keeps PUT", method: .put, status: 302, expected: "PUT http://a.com/new"),
        Row(rule: "301 keeps DELETE", method: .delete, status: 301, expected: "DELETE http://a.com/new"),
        Row(
            rule: "302 keeps POST if the policy says so", method: .post,
            policy: RedirectPolicy(keepsMethodOn301And302: true), expected: "POST http://a.com/new"),
        Row(
            rule: "303 makes GET of POST whatever the policy says", method: .post, status: 303,
            policy: RedirectPolicy(keepsMethodOn301And302: true), expected: "GET http://a.com/new without content"),
        Row(rule: "303 makes GET of PUT", method: .put, status: 303, expected: "GET http://a.com/new without content"),
        Row(rule: "303 keeps HEAD", method: .head, status: 303, expected: "HEAD http://a.com/new"),
        Row(rule: "307 keeps POST", method: .post, status: 307, expected: "POST http://a.com/new"),
        Row(rule: "308 keeps PATCH", method: .patch, status: 308, expected: "PATCH http://a.com/new"),
        Row(rule: "Location is relative to the URL asked", location: "b?x#f", expected: "GET http://a.com/dir/b?x"),
        Row(rule: "an empty Location is not followed", location: "", expected: "response"),
        Row(rule: "another origin is followed", location: "https://b.com/", expected: "GET https://b.com/"),
        Row(
            rule: "same_origin follows on the origin", policy: .init(mode: .sameOrigin),
            expected: "GET http://a.com/new"),
        Row(
            rule: "same_origin refuses another host", location: "http://b.com/", policy: .init(mode: .sameOrigin),
            expected: "refused redirect_refused"),
        Row(
            rule: "same_origin refuses another scheme", location: "https://a.com/", policy: .init(mode: .sameOrigin),
            expected: "refused redirect_refused"),
        Row(
            rule: "same_origin refuses another port", location: "http://a.com:81/", policy: .init(mode: .sameOrigin),
            expected: "refused redirect_refused"),
        Row(rule: "refuse rejects any target", policy: .init(mode: .refuse), expected: "refused redirect_refused"),
        Row(rule: "the 16th redirect is followed", count: 15, expected: "GET http://a.com/new"),
        Row(rule: "the 17th is one too many", count: 16, expected: "failed too_many_redirects"),
        Row(rule: "a limit of 0 allows no redirect", policy: .init(limit: 0), expected: "failed too_many_redirects"),
        Row(rule: "another scheme is rejected", location: "ftp://a.com/", expected: "failed unsupported_url"),
        Row(rule: "user information is rejected", location: "http://u:p@a.com/", expected: "failed bad_url"),
        Row(rule: "an invalid URL is an error", location: "http://[", expected: "failed bad_url"),
    ]

    @Test("gives the expected verdict", arguments: rows)
    func row(row: Row) throws {
        var request = TransferRequest(method: row.method, url: try HTTPURL("http://a.com/dir/old"))
        request.body = .bytes([1])
        var head = ResponseHead(status: row.status)
        head.headers[.location] = row.location
        let verdict = RedirectRule(policy: row.policy).verdict(on: head, to: request, after: row.count)
        #expect(verdict.text == row.expected)
    }
}

extension RedirectRule.Verdict {
    fileprivate var text: String {
        switch self {
        case .response: "response"
        case .follow(let target): "\(target.method) \(target.url)" + (target.dropsContent ? " without content" : "")
        case .refused(let error): "refused \(error.code.rawValue)"
        case .failed(let error): "failed \(error.code.rawValue)"
        }
    }
}
