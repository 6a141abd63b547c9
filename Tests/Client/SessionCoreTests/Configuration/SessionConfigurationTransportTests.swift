import ErrandAuthentication
import ErrandEgress
import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("The options of a session's transport")
struct SessionConfigurationTransportTests {
    private static let certificate = ClientCertificate(chain: [[1]], privateKey: [2])

    @Test("The base URL's host and port are the session's own, which may be private")
    func own() throws {
        var configuration = SessionConfiguration(name: "a", baseURL: try HTTPURL("https://api.example.com:8443/v1/"))
        configuration.egress = EgressPolicy(privateNetworks: .deny)
        #expect(
            configuration.transportOptions.egress
                == EgressRule(
                    EgressPolicy(privateNetworks: .deny), own: EgressDestination(host: "api.example.com", port: 8443)))
    }

    @Test("Fixed addresses of a host without a port also apply to the base URL's port")
    func fixedAddresses() throws {
        var configuration = SessionConfiguration(name: "a", baseURL: try HTTPURL("http://api.example.com:8080/"))
        let host = "api.example.com"
        func entries(_ host: String, _ ports: UInt16..., address: String = "192.0.2.1") -> [FixedAddress] {
            ports.map { FixedAddress(host: host, port: $0, addresses: [address]) }
        }
        let all = FixedAddress(host: host, addresses: ["192.0.2.1"])
        configuration.connection.fixedAddresses = [all]
        #expect(configuration.transportOptions.fixedAddresses == entries(host, 80, 443, 8080))
        let given = entries(host, 8080, address: "192.0.2.9")
        configuration.connection.fixedAddresses = [all] + given
        #expect(configuration.transportOptions.fixedAddresses == entries(host, 80, 443) + given)
        configuration.connection.fixedAddresses = [all, FixedAddress(host: host, port: 443, addresses: [])]
        #expect(configuration.transportOptions.fixedAddresses == entries(host, 80, 8080))
        configuration.connection.fixedAddresses = entries(host, 80, 443)
        #expect(configuration.transportOptions.fixedAddresses == entries(host, 80, 443))
        configuration.connection.fixedAddresses = [FixedAddress(host: "b.example.com", addresses: ["192.0.2.1"])]
        #expect(configuration.transportOptions.fixedAddresses == entries("b.example.com", 80, 443))
    }

    @Test("Without a base URL the session has no own destination")
    func nothingOwn() {
        let options = SessionConfiguration(name: "a").transportOptions
        #expect(options.egress == EgressRule(EgressPolicy(privateNetworks: .baseOnly), own: nil))
    }

    @Test("A client certificate is presented to the origins of the base URL and of the token endpoint")
    func certificateOrigins() throws {
        var configuration = SessionConfiguration(name: "a", baseURL: try HTTPURL("https://api.example.com/v1/"))
        configuration.connection.tls.clientCertificate = Self.certificate
        #expect(
            configuration.transportOptions.tls.clientCertificate?.origins.map(\.description)
                == ["https://api.example.com"])
        configuration.credentials = .oauth2(
            OAuth2ClientCredentials(
                tokenURL: try HTTPURL("https://login.example.com/token"), clientID: "c", clientSecret: "s"))
        let origins = configuration.transportOptions.tls.clientCertificate?.origins.map(\.description).sorted()
        #expect(origins == ["https://api.example.com", "https://login.example.com"])
    }

    @Test("A client certificate with its own origins is presented to those")
    func certificateOwnOrigins() throws {
        var configuration = SessionConfiguration(name: "a", baseURL: try HTTPURL("https://api.example.com/"))
        let other: Set = [try HTTPURL("https://other.example.com/").origin]
        var certificate = Self.certificate
        certificate.origins = other
        configuration.connection.tls.clientCertificate = certificate
        #expect(configuration.transportOptions.tls.clientCertificate?.origins == other)
    }

    @Test("Without a base URL a client certificate is presented to every peer that requests one")
    func certificateEverywhere() throws {
        var configuration = SessionConfiguration(name: "a")
        configuration.connection.tls.clientCertificate = Self.certificate
        let shown = try #require(configuration.transportOptions.tls.clientCertificate)
        #expect(shown.isShown(to: try HTTPURL("https://anywhere.example/").origin))
    }
}
