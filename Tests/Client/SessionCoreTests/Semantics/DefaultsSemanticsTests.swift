import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The behavior of a session with the default configuration.
@Suite("Rules of the defaults", .timeLimit(.hang))
struct DefaultsSemanticsTests {
    let configuration = SessionConfiguration(name: "example")

    @Test("AFNetworking: requests are forms, with the parameters of GET, HEAD and DELETE in the URL")
    func request() {
        #expect(configuration.request.serializer == .form)
        #expect(configuration.request.methodsWithParametersInURL.map(\.rawValue) == ["GET", "HEAD", "DELETE"])
        #expect(configuration.request.options.throttle == nil)
        #expect(configuration.request.compression.coding == .none)
    }

    @Test("AFNetworking: responses are JSON, and successful from 200 to 299; nulls stay, fragments are rejected")
    func response() {
        #expect(configuration.response.serializer == .json)
        #expect(configuration.response.acceptableStatuses.ranges == [200...299])
        #expect(configuration.response.acceptableContentTypes == nil)
        #expect(!configuration.response.options.removesNulls)
        #expect(!configuration.response.options.json.allowsFragments)
    }

    @Test("NSURLSession: 60 s without a byte, up to 16 redirects followed, cookies accepted and sent")
    func session() {
        #expect(configuration.timeouts.idle == .seconds(60))
        #expect(configuration.redirects == RedirectPolicy(mode: .follow, limit: 16))
        #expect(configuration.cookies == .ephemeral)
    }

    @Test("Errand: an hour in total instead of seven days, 10 s to connect, 8 MiB of content, only its own origin")
    func own() {
        #expect(configuration.timeouts.total == .seconds(3600))
        #expect(configuration.timeouts.connect == .seconds(10))
        #expect(configuration.response.disposition.maxBodyBytes == 8_388_608)
        #expect(configuration.urlScope == .origin)
        #expect(configuration.suspendedKeep == .seconds(60))
    }

    @Test("Alamofire: the User-Agent is ASCII, and names the program")
    func userAgent() throws {
        let userAgent = try #require(configuration.userAgent)
        let program = try #require(CommandLine.arguments.first?.split(separator: "/").last)
        #expect(userAgent.wholeMatch(of: #/[A-Za-z0-9._+-]+/#) != nil)
        #expect(userAgent.prefix(4) == program.prefix(4))
    }

    @Test("by default no credentials are sent")
    func credentials() async throws {
        #expect(configuration.credentials == nil)
        let (outcome, requests) = try await Example { $0.response.serializer = .raw }
            .exchange(responses: [[.head(401)]])
        #expect(outcome.numbers == [-1011])
        #expect(requests.count == 1 && requests.first?.headers.isEmpty == true)
    }
}
