import Foundation

/// An independent server that tests the clients' HTTP: httpbin behind gunicorn.
///
/// One server is shared by the test process and ends with it, in any way.
package struct HTTPBin: Sendable {
    /// The address to put in a URL, such as `http://127.0.0.1:40123`.
    package let origin: String
    private let process: ChildProcess

    /// Returns the server, which the first caller starts.
    ///
    /// - Throws: ``Unavailable`` if it is not installed or does not start.
    package static func shared() async throws -> HTTPBin {
        try await starting.value
    }

    private static let starting = Task { try await HTTPBin() }

    private init() async throws {
        let python = ProjectFolder.root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Unavailable(description: "\(python) is missing: run Scripts/setup test, which installs httpbin")
        }
        let script = ProjectFolder.root.appendingPathComponent("Scripts/httpbin").path
        process = try ChildProcess(python, [script], input: .untilOwnEnd)
        do {
            origin = try await process.output.line(containing: "http://")
        } catch {
            throw Unavailable(description: "httpbin did not start: \(await process.errors.all())")
        }
    }

    /// The origin of the same server with another host name.
    package var otherOrigin: String { origin.replacingOccurrences(of: "127.0.0.1", with: "localhost") }

    /// The reason that there is no server, with instructions.
    package struct Unavailable: Error, CustomStringConvertible {
        package var description: String
    }
}
