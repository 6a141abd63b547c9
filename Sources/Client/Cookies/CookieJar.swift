package import ErrandTransfer

/// The cookies of a session (RFC 6265 §5.3 and §5.4): a value, without a clock and without I/O.
///
/// Times are seconds since 1970-01-01 UTC. Cookies are indexed by domain, so the cost of a request depends only on the
/// cookies of its host.
package struct CookieJar: Sendable {
    /// The limits on the number of cookies.
    package let limits: CookieLimits
    /// The number of cookies, including expired ones that have not been removed yet.
    package private(set) var count = 0

    private var byDomain: [String: [Cookie]] = [:]
    private var nextCreationOrder: Int64 = 0
    /// The earliest expiry date of the cookies, or an earlier time.
    private var earliestExpiry = Int64.max
    /// The latest access to a cookie so far.
    ///
    /// Later accesses count as not earlier than this, so that cookies in use are not the first to be evicted after the
    /// clock was set back.
    private var latestAccess = Int64.min

    /// Creates an empty jar.
    package init(limits: CookieLimits = CookieLimits()) {
        self.limits = limits
    }

    /// True if the jar has no cookies.
    package var isEmpty: Bool { count == 0 }

    /// The cookies in the order of their creation.
    package var cookies: [Cookie] {
        byDomain.values.joined().sorted(by: Self.isEarlier)
    }
}

// MARK: - Storing

extension CookieJar {
    /// Stores and deletes cookies as a response directs.
    ///
    /// - Parameters:
    ///   - fields: The values of its `Set-Cookie` fields, in order. Values that are not cookies, or that the server may
    ///     not set, are ignored: see ``SetCookieParser``.
    ///   - url: The URL of the request. A redirect's cookies belong to the URL that redirected.
    ///   - now: The time.
    /// - Returns: The changes, in order; none for a cookie that was set again unchanged.
    @discardableResult
    package mutating func store(_ fields: [String], from url: HTTPURL, now: Int64) -> [CookieChange] {
        guard !fields.isEmpty else { return [] }
        var changes = removeExpired(now: now)
        for field in fields {
            guard let cookie = SetCookieParser.parse(field, from: url, now: now) else { continue }
            // A server that is not authenticated must not overlay the cookies of a secure one.
            guard url.scheme == .https || !isOverlaid(by: cookie) else { continue }
            changes += keep(cookie, now: now)
        }
        return changes
    }

    /// Adds cookies that were stored elsewhere.
    ///
    /// A cookie that is in the jar already does not change. Later cookies are numbered after the restored ones.
    ///
    /// - Returns: The removals to make in that store too: cookies that have expired, or exceed the limits.
    @discardableResult
    package mutating func restore(_ cookies: some Sequence<Cookie>, now: Int64) -> [CookieChange] {
        var changes: [CookieChange] = []
        for cookie in cookies.sorted(by: Self.isEarlier) where index(of: cookie.id) == nil {
            if cookie.isExpired(at: now) {
                changes.append(.removed(cookie.id))
            } else {
                changes += insert(cookie)
            }
        }
        return changes
    }

    /// Adds a cookie with a new creation order, or replaces one and retains its creation order.
    mutating func keep(_ cookie: Cookie, now: Int64) -> [CookieChange] {
        var cookie = cookie
        cookie.lastAccess = max(now, latestAccess)
        guard let index = index(of: cookie.id), let old = byDomain[cookie.domain]?[index] else {
            guard !cookie.isExpired(at: now) else { return [] }
            cookie.creationOrder = nextCreationOrder
            return [.set(cookie)] + insert(cookie)
        }
        guard !cookie.isExpired(at: now) else { return [remove(at: index, domain: cookie.domain)] }
        cookie.creationOrder = old.creationOrder
        earliestExpiry = min(earliestExpiry, cookie.expires ?? .max)
        latestAccess = cookie.lastAccess
        byDomain[cookie.domain]?[index] = cookie
        return cookie.saysTheSame(as: old) ? [] : [.set(cookie)]
    }

    /// Adds a new cookie, and returns the removals that make room for it.
    private mutating func insert(_ cookie: Cookie) -> [CookieChange] {
        // A damaged store may contain the maximum number: later cookies then share it.
        nextCreationOrder = max(nextCreationOrder, cookie.creationOrder == .max ? .max : cookie.creationOrder + 1)
        earliestExpiry = min(earliestExpiry, cookie.expires ?? .max)
        latestAccess = max(latestAccess, cookie.lastAccess)
        byDomain[cookie.domain, default: []].append(cookie)
        count += 1
        return evict(from: cookie.domain) + evictFromAll()
    }

    /// Returns true if the jar has the cookie with an identity.
    func contains(_ id: Cookie.ID) -> Bool {
        index(of: id) != nil
    }

    /// Returns the index of a cookie among those of its domain.
    private func index(of id: Cookie.ID) -> Int? {
        byDomain[id.domain]?.firstIndex { $0.id == id }
    }

    /// Returns true if `cookie` would overlay a secure cookie (rfc6265bis §5.7, "leave secure cookies alone").
    private func isOverlaid(by cookie: Cookie) -> Bool {
        byDomain.contains { domain, cookies in
            (CookieDomain.matches(host: domain, domain: cookie.domain)
                || CookieDomain.matches(host: cookie.domain, domain: domain))
                && cookies.contains {
                    $0.isSecure && $0.name == cookie.name
                        && CookiePath.matches(requestPath: cookie.path, cookiePath: $0.path)
                }
        }
    }
}

// MARK: - Sending

extension CookieJar {
    /// Returns the value of the `Cookie` field of a request (RFC 6265 §5.4); `nil` if no cookie applies.
    ///
    /// Cookies with longer paths come first; those with paths of equal length are in the order of their creation. The
    /// last access of each sent cookie is updated.
    package mutating func header(for url: HTTPURL, now: Int64) -> String? {
        guard !isEmpty else { return nil }
        let access = max(now, latestAccess)
        var sent: [Cookie] = []
        for domain in CookieDomain.domains(of: url.host) {
            let domain = String(domain)
            guard let cookies = byDomain[domain] else { continue }
            for (index, cookie) in cookies.enumerated() where cookie.isFor(url, now: now) {
                byDomain[domain]?[index].lastAccess = access
                sent.append(cookie)
            }
        }
        guard !sent.isEmpty else { return nil }
        latestAccess = access
        sent.sort { one, other in
            let lengths = (one.path.utf8.count, other.path.utf8.count)
            return lengths.0 != lengths.1 ? lengths.0 > lengths.1 : Self.isEarlier(one, other)
        }
        return sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}

// MARK: - Removing

extension CookieJar {
    /// Removes the expired cookies; returns at once while none can have expired.
    @discardableResult
    package mutating func removeExpired(now: Int64) -> [CookieChange] {
        guard now >= earliestExpiry else { return [] }
        return removeAll { $0.isExpired(at: now) }
    }

    /// Removes all cookies.
    @discardableResult
    package mutating func removeAll() -> [CookieChange] {
        removeAll { _ in true }
    }

    private mutating func removeAll(where isToGo: (Cookie) -> Bool) -> [CookieChange] {
        var gone: [Cookie] = []
        byDomain = byDomain.compactMapValues { cookies in
            gone += cookies.filter(isToGo)
            let left = cookies.filter { !isToGo($0) }
            return left.isEmpty ? nil : left
        }
        count -= gone.count
        earliestExpiry = byDomain.values.joined().lazy.compactMap(\.expires).min() ?? .max
        return gone.sorted(by: Self.isEarlier).map { .removed($0.id) }
    }

    /// Evicts a cookie if the domain to which one was just added exceeds its limit.
    private mutating func evict(from domain: String) -> [CookieChange] {
        guard let cookies = byDomain[domain], cookies.count > limits.maxPerDomain else { return [] }
        let candidates = cookies.indices.filter { !cookies[$0].isSecure }
        let victim = (candidates.isEmpty ? Array(cookies.indices) : candidates)
            .min { Self.isLessUsed(cookies[$0], cookies[$1]) }
        return victim.map { [remove(at: $0, domain: domain)] } ?? []
    }

    /// Evicts a cookie if the jar exceeds its limit.
    private mutating func evictFromAll() -> [CookieChange] {
        guard count > limits.maxTotal, let victim = byDomain.values.joined().min(by: Self.isLessUsed),
            let index = index(of: victim.id)
        else { return [] }
        return [remove(at: index, domain: victim.domain)]
    }

    private mutating func remove(at index: Int, domain: String) -> CookieChange {
        var cookies = byDomain[domain, default: []]
        let cookie = cookies.remove(at: index)
        byDomain[domain] = cookies.isEmpty ? nil : cookies
        count -= 1
        return .removed(cookie.id)
    }

    /// Compares creation order; the name decides if a damaged store gave several cookies the same number.
    private static func isEarlier(_ one: Cookie, _ other: Cookie) -> Bool {
        (one.creationOrder, one.name) < (other.creationOrder, other.name)
    }

    private static func isLessUsed(_ one: Cookie, _ other: Cookie) -> Bool {
        (one.lastAccess, one.creationOrder) < (other.lastAccess, other.creationOrder)
    }
}

extension Cookie {
    /// Returns true if a request for `url`, whose host belongs to the cookie's domain, must carry the cookie.
    fileprivate func isFor(_ url: HTTPURL, now: Int64) -> Bool {
        !isExpired(at: now) && (!isHostOnly || domain == url.host) && (!isSecure || url.scheme == .https)
            && CookiePath.matches(requestPath: url.path, cookiePath: path)
    }

    /// Returns true if the cookies differ at most in their last access.
    fileprivate func saysTheSame(as other: Cookie) -> Bool {
        var copy = self
        copy.lastAccess = other.lastAccess
        return copy == other && value.isSame(as: other.value)
    }
}

// MARK: - Limits

/// The limits on the number of cookies in a jar.
///
/// Above a limit, the least recently used cookie is evicted; within a domain, those without `Secure` go first
/// (draft-ietf-httpbis-rfc6265bis §5.7).
package struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies of one domain; default 50, the minimum that RFC 6265 §6.1 asks for.
    package var maxPerDomain: Int
    /// The maximum number of cookies of all domains; default 3000, the minimum that RFC 6265 §6.1 asks for.
    package var maxTotal: Int

    /// Creates limits.
    ///
    /// With 0 or less, no cookies are kept.
    package init(maxPerDomain: Int = 50, maxTotal: Int = 3000) {
        self.maxPerDomain = maxPerDomain
        self.maxTotal = maxTotal
    }
}

// MARK: - Changes

/// A change of a cookie jar.
public enum CookieChange: Sendable, Hashable {
    /// A cookie was added, or replaced one with the same identity.
    case set(Cookie)
    /// A cookie was removed.
    case removed(Cookie.ID)

    /// The identity of the changed cookie.
    public var id: Cookie.ID {
        switch self {
        case .set(let cookie): cookie.id
        case .removed(let id): id
        }
    }
}
