import ArgumentParser
import ErrandGatewayAPI

/// `errand openapi`: prints the OpenAPI document.
struct OpenAPICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi",
        abstract: "Print the OpenAPI document of the API, which a gateway serves at /openapi.yaml and /openapi.json.")

    @Flag(help: "The format.")
    var format: Format = .yaml

    enum Format: String, EnumerableFlag {
        /// YAML.
        case yaml
        /// JSON.
        case json
    }

    func run() throws {
        switch format {
        case .yaml:
            // The text ends with a line break of its own.
            try StandardStreams.write(String(OpenAPIDocument.yaml.dropLast()))
        case .json:
            try StandardStreams.write(String(decoding: OpenAPIDocument.json, as: UTF8.self))
        }
    }
}
