import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A session's configuration")
struct SessionConfigurationTests {
    @Test("has the documented defaults")
    func defaults() {
        let configuration = SessionConfiguration(name: "example")
        #expect(configuration.baseURL == nil)
        #expect(configuration.urlScope == .origin)
        #expect(configuration.headers.isEmpty)
        #expect(configuration.userAgent == SessionConfiguration.defaultUserAgent)
        #expect(
            configuration.allowedMethods.map(\.rawValue)
                == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
        #expect(configuration.request.serializer == .form)
        #expect(configuration.request.options == RequestSerializationOptions())
        #expect(configuration.request.compression.coding == .none)
        #expect(configuration.request.methodsWithParametersInURL == [.get, .head, .delete])
        #expect(configuration.response.serializer == .json)
        #expect(configuration.response.acceptableStatuses == StatusSet([200...299]))
        #expect(configuration.response.acceptableContentTypes == nil)
        #expect(configuration.response.options == ResponseSerializationOptions())
        #expect(configuration.response.disposition.maxBodyBytes == 8_388_608)
        #expect(configuration.connection == ConnectionOptions())
        #expect(configuration.acceptsCompression)
        #expect(configuration.timeouts.connect == .seconds(10))
        #expect(configuration.timeouts.idle == .seconds(60))
        #expect(configuration.timeouts.total == .seconds(3600))
        #expect(configuration.limits.concurrent == 32)
        #expect(configuration.credentials == nil)
        #expect(configuration.redirects == RedirectPolicy(mode: .follow, limit: 16, keepsMethodOn301And302: false))
        #expect(configuration.cookies == .ephemeral)
        #expect(configuration.suspendedKeep == .seconds(60))
        #expect(
            configuration.reachability
                == ReachabilityConfiguration(probe: .passive, interval: .seconds(30), holdsWhenUnreachable: false))
    }
}
