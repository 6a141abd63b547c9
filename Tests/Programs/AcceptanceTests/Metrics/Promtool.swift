import ErrandSupport
import Foundation

/// The checker of Prometheus, which `Scripts/setup test` installs on Debian.
enum Promtool {
    /// True if promtool must be there, or is there: only on systems other than Debian, it may be missing.
    static var isExpected: Bool {
        get async throws {
            if FileManager.default.fileExists(atPath: "/etc/debian_version") { return true }
            return try await ChildProcess(script, ["--version"]).result().exit == .status(0)
        }
    }

    private static let script = ProjectFolder.root.appending(path: "Scripts/promtool").path

    /// Returns the findings of `promtool check metrics` in a text; an empty one for none.
    ///
    /// - Parameter folder: The folder of a temporary file.
    static func findings(in text: String, _ folder: TemporaryFolder) async throws -> String {
        let file = try folder.write(text, to: "metrics.txt")
        let result = try await ChildProcess(
            "/bin/sh", ["-c", #"exec "$0" check metrics < "$1""#, script, file]
        ).result()
        let findings = result.output + result.errors
        return result.exit == .status(0) ? findings : "\(result.exit): \(findings)"
    }
}
