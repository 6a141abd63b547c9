import Authentication
import Egress
import SessionCore
import Testing
import Transfer

@Suite("What a session's transport is made with")
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

    @Test("Without a base URL nothing is the session's own")
    func nothingOwn() {
        let options = SessionConfiguration(name: "a").transportOptions
        #expect(options.egress == EgressRule(EgressPolicy(privateNetworks: .baseOnly), own: nil))
    }

    @Test("A client certificate is shown to the base URL's origin and to the one that tokens are asked from")
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

    @Test("A client certificate that is told where to be shown is shown there")
    func certificateOwnOrigins() throws {
        var configuration = SessionConfiguration(name: "a", baseURL: try HTTPURL("https://api.example.com/"))
        let other: Set = [try HTTPURL("https://other.example.com/").origin]
        var certificate = Self.certificate
        certificate.origins = other
        configuration.connection.tls.clientCertificate = certificate
        #expect(configuration.transportOptions.tls.clientCertificate?.origins == other)
    }

    @Test("Without a base URL a client certificate is shown to every peer that asks")
    func certificateEverywhere() throws {
        var configuration = SessionConfiguration(name: "a")
        configuration.connection.tls.clientCertificate = Self.certificate
        let shown = try #require(configuration.transportOptions.tls.clientCertificate)
        #expect(shown.isShown(to: try HTTPURL("https://anywhere.example/").origin))
    }
}
