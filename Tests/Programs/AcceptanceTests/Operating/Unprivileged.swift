import ErrandSupport
import Foundation

/// The `errand` program without the capabilities of root, so that permissions bind it also in tests that root runs.
enum Unprivileged {
    /// A program that starts another with other rights.
    private static let launcher = "/usr/bin/setpriv"

    /// True if the program can be run without capabilities.
    static let isPossible = geteuid() != 0 || access(launcher, X_OK) == 0

    /// True if the program can be run as another user, who has to reach its file and its libraries.
    static var canChangeUser: Bool {
        get async { await change.value }
    }

    private static let change = Task<Bool, Never> {
        do {
            let result = try await run("--version", asUser: 65_534, environment: [:])
            return result.exit == .status(0)
        } catch {
            // There is no such launcher.
            return false
        }
    }

    /// Runs a command to its end, as the user of the tests.
    static func run(_ arguments: String...) async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let rights = geteuid() == 0 ? [launcher, "--bounding-set=-all", "--inh-caps=-all"] : []
        return try await launch(rights + [Errand.path] + arguments)
    }

    /// Runs a command to its end, as another user.
    ///
    /// - Parameter environment: Variables in addition to ``Errand/environment``.
    static func run(
        _ arguments: String..., asUser user: UInt32, environment: [String: String]
    ) async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let rights = [launcher, "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        return try await launch(rights + [Errand.path] + arguments, environment: environment)
    }

    private static func launch(
        _ command: [String], environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let variables = Errand.environment.merging(environment) { $1 }
        return try await ChildProcess(command[0], Array(command.dropFirst()), environment: variables).result()
    }
}
