public import Transfer

/// The cookies of a session (RFC 6265 §5.3 and §5.4): a value, without a clock and without I/O.
///
/// Times are seconds since 1970-01-01 UTC. Cookies are kept by domain, so that a request costs what its own host's
/// cookies cost, however many there are.
public struct CookieJar: Sendable {
    /// How many cookies are kept.
    public let limits: CookieLimits
    /// How many cookies there are, expired ones that nobody has asked for since included.
    public private(set) var count = 0

    private var byDomain: [String: [Cookie]] = [:]
    private var nextCreationOrder: Int64 = 0
    /// No cookie expires before.
    private var earliestExpiry = Int64.max

    /// Creates an empty jar.
    public init(limits: CookieLimits = CookieLimits()) {
        self.limits = limits
    }

    /// Whether there is no cookie.
    public var isEmpty: Bool { count == 0 }

    /// The cookies in the order in which they were made.
    public var cookies: [Cookie] {
        byDomain.values.joined().sorted(by: Self.isEarlier)
    }
}

// MARK: - What servers say

extension CookieJar {
    /// Keeps what a response sets, and forgets what it deletes.
    ///
    /// - Parameters:
    ///   - fields: The values of its `Set-Cookie` fields, in order. Those that are no cookies, or that the server may
    ///     not set, are ignored: see ``SetCookieParser``.
    ///   - url: What was asked for. A redirect's cookies belong to the URL that redirected.
    ///   - now: The time.
    /// - Returns: What has become different, in order; nothing where a cookie was set again as it was.
    @discardableResult
    public mutating func store(_ fields: [String], from url: HTTPURL, now: Int64) -> [CookieChange] {
        guard !fields.isEmpty else { return [] }
        var changes = removeExpired(now: now)
        for field in fields {
            guard let cookie = SetCookieParser.parse(field, from: url, now: now) else { continue }
            // A server that is not authenticated must not lay its cookies over a secure one's.
            guard url.scheme == .https || !isOverlaid(by: cookie) else { continue }
            changes += keep(cookie, now: now)
        }
        return changes
    }

    /// Takes in cookies that were kept elsewhere.
    ///
    /// One that the jar has already stays as it is. The creation order goes on after theirs.
    ///
    /// - Returns: What is to be forgotten elsewhere too: cookies that have expired, or exceed the limits.
    @discardableResult
    public mutating func restore(_ cookies: some Sequence<Cookie>, now: Int64) -> [CookieChange] {
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

    /// Puts a cookie with a new creation order, or the one of the cookie that it replaces, into the jar.
    private mutating func keep(_ cookie: Cookie, now: Int64) -> [CookieChange] {
        var cookie = cookie
        guard let index = index(of: cookie.id), let old = byDomain[cookie.domain]?[index] else {
            guard !cookie.isExpired(at: now) else { return [] }
            cookie.creationOrder = nextCreationOrder
            return [.set(cookie)] + insert(cookie)
        }
        guard !cookie.isExpired(at: now) else { return [remove(at: index, domain: cookie.domain)] }
        cookie.creationOrder = old.creationOrder
        earliestExpiry = min(earliestExpiry, cookie.expires ?? .max)
        byDomain[cookie.domain]?[index] = cookie
        return cookie.saysTheSame(as: old) ? [] : [.set(cookie)]
    }

    /// Adds a cookie that is not there; what has to go for it is returned.
    private mutating func insert(_ cookie: Cookie) -> [CookieChange] {
        // A damaged store may hold the last number there is: then cookies share it.
        nextCreationOrder = max(nextCreationOrder, cookie.creationOrder == .max ? .max : cookie.creationOrder + 1)
        earliestExpiry = min(earliestExpiry, cookie.expires ?? .max)
        byDomain[cookie.domain, default: []].append(cookie)
        count += 1
        return evict(from: cookie.domain) + evictFromAll()
    }

    /// Where a cookie stands among those of its domain.
    private func index(of id: Cookie.ID) -> Int? {
        byDomain[id.domain]?.firstIndex { $0.id == id }
    }

    /// Whether a secure cookie would be hidden, or its owner confused, by `cookie` (bis §5.7, "leave secure cookies
    /// alone").
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

// MARK: - What is sent

extension CookieJar {
    /// The value of the `Cookie` field of a request (RFC 6265 §5.4); `nil` when no cookie is for it.
    ///
    /// Longer paths come first, of equal ones the cookie that was made first. What is sent counts as used.
    public mutating func header(for url: HTTPURL, now: Int64) -> String? {
        guard !isEmpty else { return nil }
        var sent: [Cookie] = []
        for domain in CookieDomain.domains(of: url.host) {
            let domain = String(domain)
            guard let cookies = byDomain[domain] else { continue }
            for (index, cookie) in cookies.enumerated() where cookie.isFor(url, now: now) {
                byDomain[domain]?[index].lastAccess = now
                sent.append(cookie)
            }
        }
        guard !sent.isEmpty else { return nil }
        sent.sort { one, other in
            let lengths = (one.path.utf8.count, other.path.utf8.count)
            return lengths.0 != lengths.1 ? lengths.0 > lengths.1 : Self.isEarlier(one, other)
        }
        return sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}

// MARK: - What goes

extension CookieJar {
    /// Forgets the cookies whose time is over; without a look at them while none can be.
    @discardableResult
    public mutating func removeExpired(now: Int64) -> [CookieChange] {
        guard now >= earliestExpiry else { return [] }
        return removeAll { $0.isExpired(at: now) }
    }

    /// Forgets all cookies.
    @discardableResult
    public mutating func removeAll() -> [CookieChange] {
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

    /// Makes room for the cookie that was added last to a domain.
    private mutating func evict(from domain: String) -> [CookieChange] {
        guard let cookies = byDomain[domain], cookies.count > limits.maxPerDomain else { return [] }
        let candidates = cookies.indices.filter { !cookies[$0].isSecure }
        let victim = (candidates.isEmpty ? Array(cookies.indices) : candidates)
            .min { Self.isLessUsed(cookies[$0], cookies[$1]) }
        return victim.map { [remove(at: $0, domain: domain)] } ?? []
    }

    /// Makes room for the cookie that was added last.
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

    /// The name decides where a damaged store has given several cookies the same number.
    private static func isEarlier(_ one: Cookie, _ other: Cookie) -> Bool {
        (one.creationOrder, one.name) < (other.creationOrder, other.name)
    }

    private static func isLessUsed(_ one: Cookie, _ other: Cookie) -> Bool {
        (one.lastAccess, one.creationOrder) < (other.lastAccess, other.creationOrder)
    }
}

extension Cookie {
    /// Whether a request for `url`, whose host belongs to the cookie's domain, is to carry it.
    fileprivate func isFor(_ url: HTTPURL, now: Int64) -> Bool {
        !isExpired(at: now) && (!isHostOnly || domain == url.host) && (!isSecure || url.scheme == .https)
            && CookiePath.matches(requestPath: url.path, cookiePath: path)
    }

    /// Whether nothing but the time of its use is different.
    fileprivate func saysTheSame(as other: Cookie) -> Bool {
        var copy = self
        copy.lastAccess = other.lastAccess
        return copy == other && value.isSame(as: other.value)
    }
}
