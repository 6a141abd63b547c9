import Foundation
import HTTPSession

/// A download that is interrupted, and resumed from saved data: `resumed-download [BASE-URL]`.
@main
enum ResumedDownload {
    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        // The rate is limited so that there is progress to report.
        let api = try Session(baseURL: baseURL) { $0.limits.bytesPerSecond = 4 << 20 }
        let destination = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

        let first = try api.downloadTask("range/8000000", to: .path(destination))
        first.resume()
        for await progress in first.progressUpdates where progress.received >= 1_000_000 { break }
        first.cancel(producingResumeData: true)
        guard let data = await first.outcome.error?.resumeData else { return print("there is nothing to resume") }
        print("interrupted after \(data.received) of \(data.total ?? 0) bytes")

        // A program can save the data in a file, and resume the download after its next start.
        let saved = try JSONEncoder().encode(data)
        let read = try JSONDecoder().decode(DownloadResumeData.self, from: saved)
        let resumed = try api.downloadTask(resuming: read, to: .path(destination))
        resumed.resume()
        for await progress in resumed.progressUpdates {
            print("\(progress.received) of \(progress.receiveTotal.map { "\($0)" } ?? "?") bytes")
        }
        let file = try await resumed.file
        print("\(file.size) bytes, the rest with status \(file.head.status)")
        try FileManager.default.removeItem(atPath: file.path)
    }
}
