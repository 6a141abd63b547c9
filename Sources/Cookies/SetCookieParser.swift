import PublicSuffix
public import Transfer

/// Makes cookies of `Set-Cookie` fields: RFC 6265 §5.2 and those steps of §5.3 that need no other cookie.
///
/// Where draft-ietf-httpbis-rfc6265bis is stricter, its rules hold; where it is more lenient (cookies without a name),
/// the RFC's.
///
/// | a field is ignored when | rule |
/// | --- | --- |
/// | it has no `=`, or nothing before it | RFC 6265 §5.2 |
/// | it holds a control character other than a tab | bis §5.6 |
/// | name and value are longer than 4096 bytes | bis §5.6 |
/// | its `Domain` is not the host's or one above it, or is a public suffix other than the host itself | RFC 6265 §5.3 |
/// | it is `Secure` and did not come over https | bis §5.7 |
/// | it is named `__Secure-…` without `Secure` | bis §4.1.3 |
/// | it is named `__Host-…` without `Secure` and `Path=/`, or with a `Domain` | bis §4.1.3 |
///
/// Attributes longer than 1024 bytes or without a meaning are ignored alone, and no cookie lives longer than 400 days.
/// Only https counts as secure: that a name such as `localhost` stays on the machine is not known here, since the
/// configuration may resolve it elsewhere or send it through a proxy.
public enum SetCookieParser {
    /// The longest life of a cookie, in seconds: 400 days (draft-ietf-httpbis-rfc6265bis §5.5).
    public static let maxAgeLimit: Int64 = 400 * 24 * 60 * 60

    /// The cookie that a server sets; `nil` when the field is to be ignored.
    ///
    /// A cookie that is to be deleted is one that has expired.
    ///
    /// - Parameters:
    ///   - field: The value of one `Set-Cookie` field; several are never joined with commas.
    ///   - url: What was asked for when the field came.
    ///   - now: Seconds since 1970-01-01 UTC.
    public static func parse(_ field: String, from url: HTTPURL, now: Int64) -> Cookie? {
        guard let field = SetCookieField(field), let scope = scope(of: field, from: url) else { return nil }
        guard !field.isSecure || url.scheme == .https else { return nil }
        let path = field.path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        let id = Cookie.ID(
            name: field.name, domain: scope.domain, isHostOnly: scope.isHostOnly,
            path: path ?? CookiePath.defaultPath(of: url.path))
        guard keepsPromise(ofName: id, field) else { return nil }
        return Cookie(
            id: id, value: field.value, expires: expiry(of: field, now: now),
            isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly, lastAccess: now)
    }

    /// Who the cookie is for (RFC 6265 §5.3 steps 4 to 6); `nil` when the server may not set it.
    private static func scope(of field: SetCookieField, from url: HTTPURL) -> (domain: String, isHostOnly: Bool)? {
        let host = url.host
        guard !field.domain.isEmpty else { return (host, true) }
        guard CookieDomain.matches(host: host, domain: field.domain) else { return nil }
        if !CookieDomain.isAddress(host), PublicSuffixList.isPublicSuffix(field.domain) {
            // The suffix's own server may have cookies, but not share them with those below.
            return field.domain == host ? (host, true) : nil
        }
        return (field.domain, false)
    }

    /// `Max-Age` before `Expires`, neither more than 400 days from now.
    private static func expiry(of field: SetCookieField, now: Int64) -> Int64? {
        let latest = saturatingSum(now, maxAgeLimit)
        if let maxAge = field.maxAge {
            return maxAge > 0 ? min(saturatingSum(now, maxAge), latest) : .min
        }
        return field.expires.map { min($0, latest) }
    }

    private static func saturatingSum(_ number: Int64, _ positive: Int64) -> Int64 {
        let (sum, isTooLarge) = number.addingReportingOverflow(positive)
        return isTooLarge ? .max : sum
    }

    /// Whether a cookie whose name begins with a prefix is what the prefix promises; the case does not matter.
    private static func keepsPromise(ofName id: Cookie.ID, _ field: SetCookieField) -> Bool {
        // By bytes: a combining mark after the hyphen would hide it from a comparison of characters.
        let name = id.name.lowercased().utf8
        if name.starts(with: "__host-".utf8) {
            return field.isSecure && id.isHostOnly && field.path != nil && id.path == "/"
        }
        return !name.starts(with: "__secure-".utf8) || field.isSecure
    }
}
