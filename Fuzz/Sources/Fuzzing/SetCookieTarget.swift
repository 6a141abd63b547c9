import ErrandCookies
import ErrandTransfer

extension FuzzTarget {
    /// Fuzzes `Set-Cookie` fields, one on each line, of a response from the URL on the first line.
    static let setCookie = FuzzTarget("set-cookie", maxBytes: 2048) { input in
        let lines = InputText.lines(input)
        guard let url = try? HTTPURL(InputText.text(lines[0])) else { return }
        let fields = lines.dropFirst().map { InputText.fieldText($0) }
        let now: Int64 = 1_795_000_000
        for field in fields {
            guard let cookie = SetCookieParser.parse(field, from: url, now: now) else { continue }
            try judge(cookie, from: url, now: now)
        }
        let limits = CookieLimits(maxPerDomain: 3, maxTotal: 4)
        var jar = CookieJar(limits: limits)
        _ = jar.store(fields, from: url, now: now)
        guard let header = jar.header(for: url, now: now) else { return }
        try expect(!header.isEmpty, "a sent field is not empty")
        try expect(HTTPFieldValue.isOneLine(header), "no cookie ends the line")
        try expect(header.components(separator: "; ") <= limits.maxTotal, "the limit of cookies holds")
    }

    private static func judge(_ cookie: Cookie, from url: HTTPURL, now: Int64) throws(BrokenPromise) {
        let isRooted = cookie.path.utf8.first == UInt8(ascii: "/")
        try expect(!cookie.name.isEmpty && isRooted, "a cookie has a name and a path")
        try expect(cookie.name.utf8.count + cookie.value.utf8.count <= Cookie.maxBytes, "a cookie has a size")
        try expect(
            url.host == cookie.domain || !cookie.isHostOnly && url.host.hasSuffix(".\(cookie.domain)"),
            "a server can only set cookies of its own domain: \(cookie)")
        try expect(!cookie.isSecure || url.scheme == .https, "a secure cookie came over TLS")
        if let expires = cookie.expires {
            try expect(expires <= now + SetCookieParser.maxAgeLimit, "no cookie lives longer than 400 days")
        }
    }
}

extension String {
    /// Returns the number of parts of the text between separators.
    fileprivate func components(separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
