import ErrandAuthentication
import ErrandCookies
import ErrandEgress
import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Policy of a session's configuration")
struct SessionConfigurationPolicyTests {
    typealias Part = SessionConfiguration.Part

    /// The parts whose change revokes attempts under way.
    private static let policies: Set<Part> = [
        .name, .baseURL, .urlScope, .headers, .userAgent, .credentials, .allowedMethods, .redirects, .connection,
        .egress, .acceptsCompression,
    ]

    @Test("Every part of a configuration is classified")
    func complete() throws {
        let properties = Mirror(reflecting: try DispatcherFixture.configuration()).children.compactMap(\.label)
        #expect(Set(properties) == Set(Part.allCases.map(\.rawValue)))
    }

    @Test("A change of the policy revokes, any other change does not", arguments: Part.allCases)
    func change(_ part: Part) throws {
        let before = try DispatcherFixture.configuration()
        var after = before
        try Self.change(part, of: &after)
        #expect(before != after, "the test changes nothing")
        #expect(after.allowsTheSame(as: before) == !Self.policies.contains(part))
        #expect(before.allowsTheSame(as: after) == !Self.policies.contains(part))
    }

    private static func change(_ part: Part, of configuration: inout SessionConfiguration) throws {
        switch part {
        case .name: configuration.name = "other"
        case .baseURL: configuration.baseURL = try HTTPURL("http://elsewhere.example/")
        case .urlScope: configuration.urlScope = .any
        case .headers: configuration.headers[.accept] = "text/plain"
        case .userAgent: configuration.userAgent = nil
        case .credentials: configuration.credentials = .basic(username: "u", password: "p")
        case .allowedMethods: configuration.allowedMethods = [.get]
        case .request: configuration.request.serializer = .raw
        case .response: configuration.response.disposition.maxBodyBytes += 1
        case .redirects: configuration.redirects.limit += 1
        case .cookies: configuration.cookies = .persistent
        case .connection: configuration.connection.maxConnectionsPerHost += 1
        case .egress: configuration.egress.trustsProxy.toggle()
        case .acceptsCompression: configuration.acceptsCompression.toggle()
        case .timeouts: configuration.timeouts.idle = .seconds(7)
        case .suspendedKeep: configuration.suspendedKeep = nil
        case .limits: configuration.limits.concurrent += 1
        case .retry: configuration.retry.maxAttempts += 1
        case .circuitBreaker: configuration.circuitBreaker.failures += 1
        case .forwardsIdempotencyKey: configuration.forwardsIdempotencyKey.toggle()
        case .reachability: configuration.reachability.holdsWhenUnreachable.toggle()
        }
    }
}
