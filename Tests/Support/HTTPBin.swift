import Foundation

/// A server that is not ours, for clients to try all of HTTP on: httpbin behind gunicorn.
///
/// One serves the whole test process. It ends with it, however that ends.
package struct HTTPBin: Sendable {
    /// The address to put in a URL, such as `http://127.0.0.1:40123`.
    package let origin: String
    private let process: ChildProcess

    /// The server, which the first caller starts.
    ///
    /// - Throws: When it is not installed, or does not start: ``Unavailable``.
    package static func shared() async throws -> HTTPBin {
        try await starting.value
    }

    private static let starting = Task { try await HTTPBin() }

    private init() async throws {
        let python = Self.root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Unavailable(description: "\(python) is not there: run Scripts/setup test, which installs httpbin")
        }
        let script = Self.root.appendingPathComponent("Scripts/httpbin").path
        process = try ChildProcess(python, [script], input: .untilOwnEnd)
        do {
            origin = try await process.output.line(containing: "http://")
        } catch {
            throw Unavailable(description: "httpbin did not start: \(await process.errors.all())")
        }
    }

    /// The address of the same server that is another host's for whoever compares names.
    package var otherOrigin: String { origin.replacingOccurrences(of: "127.0.0.1", with: "localhost") }

    /// The project's folder, wherever the tests are built from.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Why there is no server, and what to do about it.
    package struct Unavailable: Error, CustomStringConvertible {
        package var description: String
    }
}
