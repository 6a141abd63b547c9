import Testing

@testable import ErrandCookies

@Suite("CookieDomain")
struct CookieDomainTests {
    @Test(
        "A host belongs to its own domain and its parent domains",
        arguments: [
            ("example.com", "example.com"), ("www.example.com", "example.com"), ("a.b.c.example.com", "c.example.com"),
            ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("localhost", "localhost"), ("1.example", "example"),
        ])
    func matches(_ host: String, _ domain: String) {
        #expect(CookieDomain.matches(host: host, domain: domain))
    }

    @Test(
        "A host does not belong to other domains",
        arguments: [
            ("example.com", "www.example.com"), ("badexample.com", "example.com"), ("example.com", "example.org"),
            ("example.com", ".com"), ("example.com", ""), ("example.com.", "example.com"),
            // No part of an address is a domain.
            ("127.0.0.1", "0.0.1"), ("127.0.0.1", "1"), ("[::1.2]", "2]"),
        ])
    func differs(_ host: String, _ domain: String) {
        #expect(!CookieDomain.matches(host: host, domain: domain))
    }

    @Test("The domains of a name are itself and the parts after its dots")
    func domainsOfName() {
        #expect(
            Array(CookieDomain.domains(of: "a.b.example.com")) == [
                "a.b.example.com", "b.example.com", "example.com", "com",
            ])
        #expect(Array(CookieDomain.domains(of: "localhost")) == ["localhost"])
    }

    @Test("The only domain of an address is itself", arguments: ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
    func domainsOfAddress(_ host: String) {
        #expect(Array(CookieDomain.domains(of: host)) == [host[...]])
    }
}
