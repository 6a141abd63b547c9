import ErrandSupport
import Foundation
import Testing

extension GatewayProcess {
    /// The number of descriptors that the process has open.
    func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count
    }

    /// The number of descriptors of files whose path contains a text.
    func openFiles(with text: String) throws -> Int {
        let folder = "/proc/\(process.id)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            // A descriptor that was closed since has no destination.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.contains(text) ?? false
        }
    }

    /// Limits the process to this number of descriptors beyond those open now; `nil` restores its hard limit.
    ///
    /// - Returns: The limit.
    @discardableResult
    func limitDescriptors(toOpenAnd more: Int?) async throws -> Int {
        let open = try openDescriptors()
        let hard = try String(contentsOfFile: "/proc/\(process.id)/limits", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix("Max open files") }?.split(separator: " ")[4]
        let soft = try more.map { "\(open + $0)" } ?? String(#require(hard))
        let command = ["--pid", "\(process.id)", "--nofile=\(soft):"]
        let result = try await ChildProcess("/usr/bin/prlimit", command).result()
        try #require(result.exit == .status(0), "\(result.errors)")
        return try #require(Int(soft))
    }
}
