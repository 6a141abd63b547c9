import Foundation
import Glibc
import HTTPSession

/// A download that goes on after its process was killed: `killed-download [BASE-URL]`.
@main
enum KilledDownload {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let baseURL = arguments.count > 1 ? arguments[1] : "http://127.0.0.1:8081"
        if arguments.count > 2 { return try await download(from: baseURL, into: arguments[2]) }

        // Another process of this program begins the download, and is killed.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let first = try Process.run(program, arguments: [baseURL, folder.path])
        first.waitUntilExit()
        print("the first process was \(first.terminationReason == .uncaughtSignal ? "killed" : "not killed")")
        try await download(from: baseURL, into: folder.path)
        try FileManager.default.removeItem(at: folder)
    }

    /// Downloads a file, beginning where an earlier process has stopped.
    static func download(from baseURL: String, into folder: String) async throws {
        let saved = URL(fileURLWithPath: "\(folder)/resume.json")
        let data = try? JSONDecoder().decode(DownloadResumeData.self, from: Data(contentsOf: saved))
        if let data { print("resumed after \(data.received) of \(data.total ?? 0) bytes") }
        // The first process is so slow that it is killed before the end.
        let api = try Session(baseURL: baseURL) { if data == nil { $0.limits.bytesPerSecond = 2 << 20 } }
        let task =
            if let data {
                try api.downloadTask(resuming: data, to: "\(folder)/file")
            } else {
                try api.downloadTask("range/8000000", to: "\(folder)/file")
            }
        task.resume()
        for await _ in task.progressUpdates {
            // The bytes that these data refer to are on the medium.
            guard let newest = await task.resumeData else { continue }
            try JSONEncoder().encode(newest).write(to: saved, options: .atomic)
            if data == nil, newest.received >= 1_000_000 { kill(getpid(), SIGKILL) }
        }
        let file = try await task.file
        print("\(file.size) bytes, the rest with status \(file.head.status)")
    }
}
