import ErrandSupport
import Foundation
import Testing

/// The load generator of the benchmarks, `Benchmarks/task-load.c`, which uses little processor time itself.
struct TaskLoad {
    private let program: String

    /// Builds the program into a folder.
    init(in folder: TemporaryFolder) async throws {
        program = folder["task-load"]
        let source = ProjectFolder.root.appending(path: "Benchmarks/task-load.c").path
        try await CCompiler.build(["-O2", "-o", program, source])
    }

    /// Creates tasks of the session `up` and waits until the last is finished.
    func run(_ count: Int, connections: Int, on gateway: GatewayProcess) async throws {
        let arguments = ["-c", "\(connections)", "-n", "\(count)", "127.0.0.1", "\(gateway.port)"]
        let task = #"{"session":"up","path":"anything"}"#
        let result = try await ChildProcess(program, arguments + [task]).result()
        try #require(result.exit == .status(0), "\(result.errors)")
    }
}

/// The system's C compiler, for programs that tests include as source.
enum CCompiler {
    /// Runs `cc` with arguments; it must succeed.
    static func build(_ arguments: [String]) async throws {
        let result = try await ChildProcess("/usr/bin/cc", ["-Wall", "-Wextra", "-Werror"] + arguments).result()
        try #require(result.exit == .status(0), "\(result.errors)")
    }
}
