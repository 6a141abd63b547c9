import ErrandSupport
import Foundation

/// The `errand` program that was built with the tests.
enum Errand {
    /// The path of `ERRAND_PROGRAM`, such as the release build; `nil` for the program beside the tests.
    private static let other = ProcessInfo.processInfo.environment["ERRAND_PROGRAM"]

    /// The path of the program.
    static let path =
        other
        ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("errand").path

    /// The environment in which the program gives up nothing that takes long, unless a setting says so: the times for
    /// which there is no setting are ten minutes.
    static let environment = ["ERRAND_TEST_PATIENCE": "600"]

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], directory: String? = nil
    ) async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let variables = Self.environment.merging(environment) { $1 }
        return try await ChildProcess(path, arguments, environment: variables, directory: directory).result()
    }

    /// The sanitizer that the program was built with, which reports faults and ends it; `nil` without one.
    static let sanitizer = Sanitizer.allCases.first { $0.isPart(of: path) }
    /// True if the program was built with a sanitizer: it is slower, and its memory is mostly the sanitizer's.
    static var isSanitized: Bool { sanitizer != nil }
}

/// The sanitizers of which a program can be built with one.
enum Sanitizer: String, CaseIterable {
    case address = "__asan_init"
    case thread = "__tsan_init"

    /// Returns true if the file of a program contains the name of the function that initializes the sanitizer.
    ///
    /// Without the file, each test fails when it starts the program.
    func isPart(of program: String) -> Bool {
        guard let file = try? Data(contentsOf: URL(fileURLWithPath: program), options: .alwaysMapped) else {
            return false
        }
        return file.range(of: Data(rawValue.utf8)) != nil
    }
}

/// The sample upstream, `errand echo`.
final class EchoProcess: Sendable {
    private let process: ChildProcess
    /// The address to put in a URL, such as `http://127.0.0.1:40123`.
    let origin: String

    init() async throws {
        process = try ChildProcess(Errand.path, ["echo", "--listen", "127.0.0.1:0"], environment: Errand.environment)
        let line = try await process.output.line(containing: "listens on")
        origin = String(line.drop { $0 != ":" }.isEmpty ? "" : line.split(separator: " ").last?.dropLast() ?? "")
    }

    /// Stops it.
    ///
    /// - Returns: The exit status.
    func stop() async -> ChildProcess.Exit {
        process.kill(SIGTERM)
        return await process.exit()
    }
}

/// Runs the sample upstream during `body`.
func withEcho<Value>(_ body: (EchoProcess) async throws -> Value) async throws -> Value {
    let echo = try await EchoProcess()
    do {
        let value = try await body(echo)
        _ = await echo.stop()
        return value
    } catch {
        _ = await echo.stop()
        throw error
    }
}
