import ErrandSupport
import Foundation
import HTTPSession
import HTTPSessionYAML
import Testing

@Suite("A file of sessions")
struct SessionFileTests {
    @Test("Each session has its own and the inherited settings, in the order of the file")
    func inheritance() throws {
        let file = try SessionFile.read(
            """
            session_defaults:
              timeouts: {connect: 5s, idle: 20s}
              headers: {Accept: text/plain, X-Team: blue}
              limits: {bytes_per_second: 1MiB/s}
            sessions:
              zebra:
                base_url: https://zebra.example/v1
                timeouts: {idle: 7s}
                headers: {Accept: null}
              ant: {base_url: 'https://ant.example/', request: {serializer: json}, cookies: "off"}
            """)
        #expect(file.names == ["zebra", "ant"])
        var zebra = SessionConfiguration(name: "zebra", baseURL: try HTTPURL("https://zebra.example/v1"))
        zebra.timeouts.connect = .seconds(5)
        zebra.timeouts.idle = .seconds(7)
        zebra.headers = [try #require(HTTPField.Name("X-Team")): "blue"]
        zebra.limits.bytesPerSecond = 1 << 20
        #expect(try file.configuration(of: "zebra") == zebra)
        let ant = try file.configuration(of: "ant")
        #expect(ant.timeouts.idle == .seconds(20))
        #expect(ant.request.serializer == .json)
        #expect(ant.cookies == .off)
        #expect(file.warnings.isEmpty)
    }

    @Test("Without settings a session has the defaults of the library, and not those of the gateway")
    func defaults() throws {
        let file = try SessionFile.read("sessions: {a: {base_url: 'http://a.example/'}}")
        #expect(
            try file.configuration(of: "a")
                == SessionConfiguration(name: "a", baseURL: try HTTPURL("http://a.example/")))
        #expect(try file.configuration(of: "a").userAgent == SessionConfiguration.defaultUserAgent)
        #expect(try SessionFile.read("").names.isEmpty)
    }

    @Test("A session named callbacks has no rules of its own")
    func callbacks() throws {
        let file = try SessionFile.read(
            "session_defaults: {headers: {X-Team: blue}}\n"
                + "sessions: {callbacks: {base_url: 'http://a.example/', redirects: {mode: follow}}}")
        #expect(file.names == ["callbacks"])
        #expect(try file.configuration(of: "callbacks").headers.count == 1)
    }

    @Test("Variables and files of the program's choice are inserted")
    func interpolation() throws {
        let file = try SessionFile.read(
            """
            sessions:
              a:
                base_url: https://${HOST:-a.example}/
                credentials: {basic: {username: "${USER}", password: "${file:/run/password}"}}
                user_agent: costs 5$$
            """, environment: ["USER": "ada"], files: ["/run/password": "s3cret\n"])
        let session = try file.configuration(of: "a")
        #expect(session.baseURL?.string == "https://a.example/")
        #expect(session.credentials == .basic(username: "ada", password: "s3cret"))
        #expect(session.userAgent == "costs 5$")
    }

    @Test("By default the environment and the files are those of the process")
    func process() throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("abc\n", to: "token")
        let text = """
            sessions:
              a: {base_url: 'http://a.example/', credentials: {bearer: {token: '${file:\(secret)}'}}, user_agent: '${PATH}'}
            """
        let path = try folder.write(text, to: "sessions.yaml")
        let session = try SessionFile(contentsOf: path).configuration(of: "a")
        #expect(session.credentials == .bearer(token: "abc"))
        #expect(session.userAgent == ProcessInfo.processInfo.environment["PATH"])
        let other = try SessionFile(contentsOf: path, environment: ["PATH": "mine"])
        #expect(try other.configuration(of: "a").userAgent == "mine")
        #expect(other.name == path)
    }

    @Test("A risky setting is a warning with its place")
    func warnings() throws {
        let file = try SessionFile.read(
            """
            sessions:
              a:
                base_url: https://a.example/
                security: {validate_domain: false}
            """)
        #expect(
            file.warnings.map(\.description) == [
                "sessions.yaml:4:33: sessions.a.security.validate_domain: certificates of any host are accepted"
            ])
    }

    @Test("The description of a file shows the names of its sessions alone")
    func description() throws {
        let file = try SessionFile.read(
            "sessions: {a: {base_url: 'http://a/', credentials: {bearer: {token: SECRET}}}, b: {url_scope: any}}")
        #expect(file.description == "sessions.yaml: a, b")
        var dumped = ""
        dump(file, to: &dumped)
        #expect(dumped.contains("\"a\"") && !dumped.contains("SECRET"))
    }
}
