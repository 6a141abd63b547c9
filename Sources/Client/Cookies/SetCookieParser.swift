import ErrandPublicSuffix
package import ErrandTransfer

/// A parser of `Set-Cookie` fields: RFC 6265 §5.2 and those steps of §5.3 that need no other cookie.
///
/// The rules of draft-ietf-httpbis-rfc6265bis apply if they are stricter; if they are more lenient (cookies without a
/// name), those of the RFC apply.
///
/// | a field is ignored if | rule |
/// | --- | --- |
/// | it has no `=`, or nothing before it | RFC 6265 §5.2 |
/// | it holds a control character other than a tab | bis §5.6 |
/// | it is not UTF-8, so that its octets could not be sent back | RFC 6265 §5.4 |
/// | name and value are longer than 4096 bytes | bis §5.6 |
/// | its `Domain` is neither the host nor a parent domain of it, or is a public suffix other than the host itself | RFC 6265 §5.3 |
/// | it is `Secure` and was not received over https | bis §5.7 |
/// | it is named `__Secure-…` without `Secure` | bis §4.1.3 |
/// | it is named `__Host-…` without `Secure` and `Path=/`, or with a `Domain` | bis §4.1.3 |
///
/// The head of a response has no field that is not UTF-8 or has such a control character: `ResponseHeadParser` drops
/// it.
///
/// An attribute that is longer than 1024 bytes or has no meaning is ignored; the rest of the cookie is not. The
/// lifetime of a cookie is at most 400 days. Only https counts as secure: a name such as `localhost` is not, because
/// the configuration may resolve it to another machine or send it through a proxy.
package enum SetCookieParser {
    /// The maximum lifetime of a cookie, in seconds: 400 days (draft-ietf-httpbis-rfc6265bis §5.5).
    package static let maxAgeLimit: Int64 = 400 * 24 * 60 * 60

    /// Returns the cookie that a server sets; `nil` if the field must be ignored.
    ///
    /// To delete a cookie, a server sets one that has expired.
    ///
    /// - Parameters:
    ///   - field: The value of one `Set-Cookie` field; several are never joined with commas.
    ///   - url: The URL of the request whose response had the field.
    ///   - now: Seconds since 1970-01-01 UTC.
    package static func parse(_ field: String, from url: HTTPURL, now: Int64) -> Cookie? {
        guard let field = SetCookieField(field), let scope = scope(of: field, from: url) else { return nil }
        guard !field.isSecure || url.scheme == .https else { return nil }
        let path = field.path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        let id = Cookie.ID(
            name: field.name, domain: scope.domain, isHostOnly: scope.isHostOnly,
            path: path ?? CookiePath.defaultPath(of: url.path))
        guard keepsPromise(ofName: id, isSecure: field.isSecure, hasPath: field.path != nil) else { return nil }
        return Cookie(
            id: id, value: field.value, expires: expiry(of: field, now: now),
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, lastAccess: now)
    }

    /// Returns the domain of the cookie (RFC 6265 §5.3 steps 4 to 6); `nil` if the server may not set it.
    private static func scope(of field: SetCookieField, from url: HTTPURL) -> (domain: String, isHostOnly: Bool)? {
        let host = url.host
        guard !field.domain.isEmpty else { return (host, true) }
        guard CookieDomain.matches(host: host, domain: field.domain) else { return nil }
        if !CookieDomain.isAddress(host), PublicSuffixList.isPublicSuffix(field.domain) {
            // The suffix's own server may have cookies, but not share them with the domains below it.
            return field.domain == host ? (host, true) : nil
        }
        return (field.domain, false)
    }

    /// Returns the expiry by `Max-Age`, or else by `Expires`, at most 400 days from now.
    private static func expiry(of field: SetCookieField, now: Int64) -> Int64? {
        let latest = saturatingSum(now, maxAgeLimit)
        if let maxAge = field.maxAge {
            return maxAge > 0 ? min(saturatingSum(now, maxAge), latest) : .min
        }
        return field.expires.map { min($0, latest) }
    }

    /// Returns the sum, or the largest number if the sum is larger.
    static func saturatingSum(_ number: Int64, _ positive: Int64) -> Int64 {
        let (sum, isTooLarge) = number.addingReportingOverflow(positive)
        return isTooLarge ? .max : sum
    }

    /// Returns true if the cookie meets the requirements of its name's prefix, which is case-insensitive.
    ///
    /// - Parameter hasPath: True if the path was stated.
    static func keepsPromise(ofName id: Cookie.ID, isSecure: Bool, hasPath: Bool) -> Bool {
        // Compare bytes: as characters, a combining mark after the hyphen would hide the prefix.
        let name = id.name.lowercased().utf8
        if name.starts(with: "__host-".utf8) {
            return isSecure && id.isHostOnly && hasPath && id.path == "/"
        }
        return !name.starts(with: "__secure-".utf8) || isSecure
    }
}
