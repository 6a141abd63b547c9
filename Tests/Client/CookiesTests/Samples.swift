import ErrandCookies
import ErrandTransfer

/// 2026-01-01T00:00:00Z, the time of most of these tests.
let newYear: Int64 = 1_767_225_600

/// Parses a URL of a test.
func url(_ text: String) throws -> HTTPURL {
    try HTTPURL(text)
}

extension Cookie {
    /// Creates a cookie of `example.com` as a storage may hold it.
    static func sample(
        _ name: String, _ value: String = "1", domain: String = "example.com", path: String = "/",
        expires: Int64? = newYear + 3600, order: Int64 = 0, lastAccess: Int64 = newYear
    ) throws -> Cookie {
        let id = ID(name: name, domain: domain, isHostOnly: true, path: path)
        guard let cookie = Cookie(id: id, value: value, expires: expires, creationOrder: order, lastAccess: lastAccess)
        else { throw NoCookie() }
        return cookie
    }

    private struct NoCookie: Error {}
}
