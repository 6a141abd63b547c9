import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("Each property of a session's configuration", .timeLimit(.hang))
struct ConfigurationEffectTests {
    @Test("has an effect on what the upstream or the program sees", arguments: effects)
    func effect(_ effect: ConfigurationEffect) async throws {
        let standard = try await effect.observation(isChanged: false)
        let changed = try await effect.observation(isChanged: true)
        #expect(changed != standard)
        // Otherwise another difference may be the cause.
        let again = try await effect.observation(isChanged: false)
        #expect(again == standard)
    }

    @Test("is tested")
    func complete() throws {
        let tested = Set(Self.effects.map(\.property)).union(Self.elsewhere.keys)
        #expect(tested.subtracting(ConfigurationProperties.all) == [])
        #expect(ConfigurationProperties.all.subtracting(tested) == ConfigurationProperties.inner)
    }

    @Test("that another suite tests is named there", arguments: elsewhere.sorted { $0.key < $1.key })
    func named(property: String, suite: String) throws {
        let path = ProjectFolder.root.appending(path: "Tests/Client/\(suite).swift")
        let name = try #require(property.split(separator: ".").last)
        #expect(try String(contentsOf: path, encoding: .utf8).contains(name))
    }

    /// The properties whose effect needs another upstream than a plain one, with the suites of their tests.
    private static let elsewhere = [
        "name": "SessionCoreTests/Configuration/SessionConfigurationTests",
        "suspendedKeep": "HTTPSessionTests/EndToEnd/SteeringTests",
        "limits.bytesPerSecond": "HTTPSessionTests/EndToEnd/PacingTests",
        "timeouts.connect": "CurlEngineTests/TimeoutTests",
        "timeouts.idle": "HTTPSessionTests/EndToEnd/SessionTimeoutTests",
        "timeouts.total": "HTTPSessionTests/EndToEnd/SessionTimeoutTests",
        "reachability.probe": "HTTPSessionTests/EndToEnd/HostReachabilityTests",
        "reachability.interval": "SessionCoreTests/Reachability/ReachabilityMonitorTests",
        "request.expectContinueBytes": "HTTPSessionTests/Uploads/ExpectContinueTests",
        "request.options.throttle": "RequestSerializationTests/MultipartRequestSerializerTests",
        "response.disposition.maxErrorBytes": "HTTPSessionTests/Responses/SessionErrorResponseTests",
        "egress.trustsProxy": "CurlEngineTests/EgressTests",
        "connection.version": "CurlEngineTests/HTTP2Tests",
        "connection.maxConnectionsPerHost": "CurlEngineTests/ConnectionTests",
        "connection.maxIdleConnections": "CurlEngineTests/CrowdTests",
        "connection.proxy": "CurlEngineTests/ProxyTests",
        "connection.fixedAddresses": "CurlEngineTests/ConnectionTests",
        "connection.interface": "CurlEngineTests/ConnectionTests",
        "connection.unixSocket": "HTTPSessionTests/EndToEnd/UnixSocketSessionTests",
        "connection.tls.minimumVersion": "CurlEngineTests/TLSTests",
        "connection.tls.clientCertificate": "CurlEngineTests/ClientCertificateTests",
        "connection.tls.files": "HTTPSessionTests/Trust/TrustValuesFilesTests",
        "connection.tls.trust.pinning": "CertificateTrustTests/TrustEvaluatorTests",
        "connection.tls.trust.pins": "CertificateTrustTests/TrustEvaluatorTests",
        "connection.tls.trust.pinScope": "CertificateTrustTests/TrustEvaluatorTests",
        "connection.tls.trust.allowsInvalidCertificates": "CertificateTrustTests/PresentedChainTests",
        "connection.tls.trust.validatesDomain": "CertificateTrustTests/PresentedChainTests",
        "connection.tls.trust.anchors": "CertificateTrustTests/TrustEvaluatorTests",
        "connection.tls.trust.revocation": "HTTPSessionTests/Trust/TrustEvaluator+ChainTests",
    ]

    private static let effects =
        requestEffects + responseEffects + [
            ConfigurationEffect("baseURL", TaskRequest(path: "list")) {
                $0.baseURL = try $0.baseURL.map { try HTTPURL("\($0)v2/") }
            },
            ConfigurationEffect("urlScope", TaskRequest(path: "/other")) { $0.urlScope = .base },
            ConfigurationEffect("headers", TaskRequest()) { $0.headers[.from] = "ada@e.com" },
            ConfigurationEffect("userAgent", TaskRequest()) { $0.userAgent = "probe" },
            ConfigurationEffect("credentials", TaskRequest()) { $0.credentials = .bearer(token: "hush") },
            ConfigurationEffect("allowedMethods", TaskRequest()) { $0.allowedMethods = [.post] },
            ConfigurationEffect("redirects.mode", TaskRequest(path: "moved")) { $0.redirects.mode = .refuse },
            ConfigurationEffect("redirects.limit", TaskRequest(path: "loop")) { $0.redirects.limit = 1 },
            ConfigurationEffect("redirects.keepsMethodOn301And302", TaskRequest(method: "POST", path: "moved")) {
                $0.redirects.keepsMethodOn301And302 = true
            },
            ConfigurationEffect("cookies", TaskRequest(path: "cookie"), TaskRequest()) { $0.cookies = .off },
            ConfigurationEffect("acceptsCompression", TaskRequest()) { $0.acceptsCompression = false },
            ConfigurationEffect("forwardsIdempotencyKey", TaskRequest(method: "POST", idempotencyKey: "k")) {
                $0.forwardsIdempotencyKey = true
            },
            ConfigurationEffect("egress.privateNetworks", TaskRequest(path: "neighbour")) {
                $0.egress.privateNetworks = .allow
            },
            ConfigurationEffect("egress.allow", TaskRequest(path: "neighbour")) {
                $0.egress.allow = [try IPNetwork("127.0.0.0/8")]
            },
            ConfigurationEffect("egress.deny", TaskRequest()) { $0.egress.deny = [try IPNetwork("127.0.0.0/8")] },
        ]

    private static let values = Array(#"{"b":[true,null,"x y/z"],"a":{"c":1}}"#.utf8)
    private static let form = TaskRequest(method: "POST", parameters: values)
    private static let text = TaskRequest(method: "POST", body: .text(String(repeating: "text ", count: 100)))

    private static let requestEffects = [
        ConfigurationEffect("request.serializer", form) { $0.request.serializer = .json },
        ConfigurationEffect("request.methodsWithParametersInURL", form) {
            $0.request.methodsWithParametersInURL = [.post]
        },
        ConfigurationEffect("request.options.parameters.arrays", form) {
            $0.request.options.parameters.arrays = .indices
        },
        ConfigurationEffect("request.options.parameters.nested", form) { $0.request.options.parameters.nested = .dots },
        ConfigurationEffect("request.options.parameters.booleans", form) {
            $0.request.options.parameters.booleans = .literal
        },
        ConfigurationEffect("request.options.parameters.nulls", form) { $0.request.options.parameters.nulls = .drop },
        ConfigurationEffect("request.options.parameters.spaces", form) { $0.request.options.parameters.spaces = .plus },
        ConfigurationEffect("request.options.json.prettyPrinted", form, setUp: json) {
            $0.request.options.json.prettyPrinted = true
        },
        ConfigurationEffect("request.options.json.sortsKeys", form, setUp: json) {
            $0.request.options.json.sortsKeys = true
        },
        ConfigurationEffect("request.options.json.escapesSlashes", form, setUp: json) {
            $0.request.options.json.escapesSlashes = true
        },
        ConfigurationEffect("request.compression.coding", text, setUp: { $0.request.compression.minBytes = 1 }) {
            $0.request.compression.coding = .gzip
        },
        ConfigurationEffect("request.compression.minBytes", text, setUp: { $0.request.compression.coding = .gzip }) {
            $0.request.compression.minBytes = 1
        },
        ConfigurationEffect("request.contentDigest", text) { $0.request.contentDigest = .sha256 },
    ]

    private static let responseEffects = [
        ConfigurationEffect("response.serializer", TaskRequest(path: "text")) { $0.response.serializer = .raw },
        ConfigurationEffect("response.acceptableStatuses", TaskRequest(path: "missing")) {
            $0.response.acceptableStatuses = StatusSet([404...404])
        },
        ConfigurationEffect("response.acceptableContentTypes", TaskRequest(path: "list")) {
            $0.response.acceptableContentTypes = [try #require(MediaRange("text/plain"))]
        },
        ConfigurationEffect("response.options.removesNulls", TaskRequest(path: "null")) {
            $0.response.options.removesNulls = true
        },
        ConfigurationEffect("response.options.json.allowsFragments", TaskRequest(path: "fragment")) {
            $0.response.options.json.allowsFragments = true
        },
        ConfigurationEffect("response.options.json.maxDepth", TaskRequest(path: "nested")) {
            $0.response.options.json.maxDepth = 2
        },
        ConfigurationEffect("response.disposition.maxBodyBytes", TaskRequest(path: "nested")) {
            $0.response.disposition.maxBodyBytes = 4
        },
        ConfigurationEffect("response.disposition.unacceptable", TaskRequest(path: "missing")) {
            $0.response.disposition.unacceptable = .cancel
        },
    ]

    private static func json(_ configuration: inout SessionConfiguration) { configuration.request.serializer = .json }
}
