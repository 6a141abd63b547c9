import ErrandPublicSuffix
import ErrandTransfer

extension CookieJar {
    /// Adds or replaces a cookie of the program, or removes the one with its identity if it has expired.
    ///
    /// The rules for the cookies of servers (``SetCookieParser``) apply as far as they are not about the server. The
    /// cookie is refused if its domain is not the host of a URL in its normal form, if it is for all hosts below a
    /// public suffix, or if it lacks what the prefix of its name promises. Its lifetime is at most 400 days. The program
    /// may replace any cookie, as a secure server may.
    ///
    /// - Returns: The changes, in order, of which the last one removes the cookie if there is no room for it; `nil` if
    ///   the cookie is refused, and nothing changes.
    package mutating func set(_ cookie: Cookie, now: Int64) -> [CookieChange]? {
        guard Self.allows(cookie) else { return nil }
        let latest = SetCookieParser.saturatingSum(now, SetCookieParser.maxAgeLimit)
        let kept = Cookie(
            id: cookie.id, value: cookie.value, expires: cookie.expires.map { min($0, latest) },
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, lastAccess: now)
        guard let kept else { return nil }
        let expired = removeExpired(now: now)
        return expired + keep(kept, now: now)
    }

    private static func allows(_ cookie: Cookie) -> Bool {
        do throws(HTTPURLError) {
            guard try HTTPURL("https://\(cookie.domain)/").host == cookie.domain else { return false }
        } catch {
            return false
        }
        let isForSuffix =
            !cookie.isHostOnly && !CookieDomain.isAddress(cookie.domain)
            && PublicSuffixList.isPublicSuffix(cookie.domain)
        return !isForSuffix && SetCookieParser.keepsPromise(ofName: cookie.id, isSecure: cookie.isSecure, hasPath: true)
    }
}
