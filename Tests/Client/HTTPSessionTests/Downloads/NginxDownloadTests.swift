import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A download from nginx", .enabled(if: NginxFileServer.isInstalled, "requires nginx"), .timeLimit(.hang))
struct NginxDownloadTests {
    private let folder: TemporaryFolder
    private let files: TemporaryFolder
    private let content = ServedContent(600_000)

    init() throws {
        folder = try TemporaryFolder()
        files = try TemporaryFolder()
    }

    /// Downloads a part of the file, and returns the data to resume it.
    private func interrupted(_ api: Session) async throws -> DownloadResumeData {
        let task = try api.downloadTask("file", to: folder.destination("a"))
        task.resume()
        for await progress in task.progressUpdates where progress.received >= 300_000 { break }
        task.cancel(producingResumeData: true)
        return try #require(await task.outcome.error?.resumeData)
    }

    @Test("is resumed with the rest, and is equal byte for byte")
    func rest() async throws {
        try files.write(content.bytes, to: "file")
        let server = try await NginxFileServer.start(files: files)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        #expect(data.received >= 300_000)
        #expect(data.total == 600_000)
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(try folder.files() == ["a"])
    }

    @Test("begins again if the file has changed")
    func changed() async throws {
        try files.write(content.bytes, to: "file")
        let server = try await NginxFileServer.start(files: files)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        let other = ServedContent(200_000, seed: 2)
        try files.write(other.bytes, to: "file")
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 200)
        #expect(folder.bytes(of: "a") == other.bytes)
        #expect(try folder.files() == ["a"])
    }

    @Test("is complete if nothing is left")
    func complete() async throws {
        let small = ServedContent(1000)
        try files.write(small.bytes, to: "file")
        let server = try await NginxFileServer.start(files: files)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let first = try await api.download("file", to: folder.destination("a"))
        let tag = try #require(first.head.headers[.eTag])
        let path = try folder.write(small.bytes, to: "interrupted.part")
        let data = DownloadResumeData(
            url: "\(server.origin)/file", validator: tag, received: 1000, partialPath: path)
        let file = try await api.download(resuming: data, to: folder.destination("b"))
        #expect(file.head.status == 416)
        #expect(folder.bytes(of: "b") == small.bytes)
        #expect(try folder.files() == ["a", "b"])
    }

    @Test("over several connections is equal byte for byte")
    func parts() async throws {
        let large = ServedContent(6 << 20)
        try files.write(large.bytes, to: "file")
        let server = try await NginxFileServer.start(files: files, isSlow: false)
        defer { server.stop() }
        var options = DownloadOptions()
        options.connections = 4
        let file = try await Session.patient(server.origin).download(
            "file", to: folder.destination("a"), options: options)
        #expect(file.head.status == 206)
        #expect(file.size == 6 << 20)
        #expect(folder.bytes(of: "a") == large.bytes)
        #expect(try folder.files() == ["a"])
    }

    @Test("over several connections is resumed with the parts that are missing")
    func resumedParts() async throws {
        let large = ServedContent(4 << 20)
        try files.write(large.bytes, to: "file")
        let slow = try await NginxFileServer.start(files: files)
        defer { slow.stop() }
        var options = DownloadOptions()
        options.connections = 4
        let task = try Session.patient(slow.origin).downloadTask(
            "file", to: folder.destination("a"), options: options)
        task.resume()
        for await progress in task.progressUpdates where progress.received >= 4 * 300_000 { break }
        task.cancel(producingResumeData: true)
        var data = try #require(await task.outcome.error?.resumeData)
        #expect(data.ranges?.count == 4)
        let server = try await NginxFileServer.start(files: files, isSlow: false)
        defer { server.stop() }
        data.url = "\(server.origin)/file"
        let file = try await Session.patient(server.origin).download(
            resuming: data, to: folder.destination("a"), options: options)
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == large.bytes)
        #expect(try folder.files() == ["a"])
    }
}
