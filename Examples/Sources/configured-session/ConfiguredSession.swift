import HTTPSession
import HTTPSessionYAML

/// A session of a YAML file: `configured-session [BASE-URL [FILE]]`.
@main
enum ConfiguredSession {
    /// The member of the sample upstream's description of a request that this program uses.
    struct Description: Decodable, Sendable {
        var url: String
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let baseURL = arguments.first ?? "http://127.0.0.1:8081"
        let path = arguments.count > 1 ? arguments[1] : "Examples/config/sessions.yaml"

        let file = try SessionFile(contentsOf: path, environment: ["UPSTREAM": baseURL])
        print("sessions:", file.names.joined(separator: ", "))

        let api = try Session(file.configuration(of: "sample"))
        let found = try await api.get(
            "anything/articles", parameters: ["tags": ["paper", "blue"]], as: Description.self)
        print(found.url)

        do {
            _ = try file.configuration(of: "simple")
        } catch {
            print(error)
        }
        do {
            _ = try SessionFile("sessions: {sample: {url_scope: any, timeouts: 30s}}")
        } catch {
            // Every problem has its place and, for common mistakes, its remedy.
            for problem in error.problems { print(problem) }
        }
    }
}
