import ErrandSettings
import ErrandSupport

@testable import ErrandConfiguration

extension CertificateSamples {
    /// Reads a valid text that replaces a configuration.
    ///
    /// - Parameter files: Paths of files to replace, with the paths of the files whose content they get.
    func reload(
        _ yaml: String, replacing inForce: GatewayConfiguration, files: [String: String] = [:]
    ) throws -> ReloadedConfiguration {
        try loader(files).load(Array(yaml.utf8), file: "config.yaml", replacing: inForce)
    }

    /// Reads a valid text.
    ///
    /// - Parameter replacing: Paths of files to replace, with the paths of the files whose content they get.
    func read(_ yaml: String, replacing: [String: String] = [:]) throws -> LoadedConfiguration {
        try loader(replacing).load(Array(yaml.utf8), file: "config.yaml")
    }

    private func loader(_ replacing: [String: String]) -> ConfigurationLoader {
        ConfigurationLoader(environment: environment, readFile: { try content(of: $0, replacing: replacing) })
    }

    /// Returns the problems of a text, one per line, without the name of the file; empty if there are none.
    ///
    /// - Parameter serverTLSProblem: Returns the reason for which the server cannot use certificates.
    func problems(
        _ yaml: String,
        serverTLSProblem: @escaping @Sendable (GatewayServerConfiguration.TLS) -> String? = { _ in nil }
    ) -> [String] {
        do {
            var loader = loader([:])
            loader.serverTLSProblem = serverTLSProblem
            _ = try loader.load(Array(yaml.utf8), file: "config.yaml")
            return []
        } catch {
            return "\(error)".split(separator: "\n").map { String($0.dropFirst("config.yaml:".count)) }
        }
    }
}
