import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("The destination of a download", .timeLimit(.hang))
struct DownloadDestinationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server() throws -> ScriptedServer {
        try ScriptedServer { _ in ScriptedResponse(body: "new") }
    }

    /// Downloads to a path that must fail.
    private func failure(at path: String, _ options: DownloadOptions = DownloadOptions()) async throws -> SessionError {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: .path(path), options: options)
        }
        return try #require(error).error
    }

    @Test("is not changed if it exists, by default")
    func exists() async throws {
        try folder.write("old", to: "a")
        let error = try await failure(at: folder["a"])
        #expect(error.code == .exists)
        #expect(error.number == -3005)
        #expect(error.message.contains(folder["a"]))
        #expect(folder.bytes(of: "a") == Array("old".utf8))
        #expect(try folder.files() == ["a"])
    }

    @Test("is replaced, or gets another name, as the options say")
    func conflicts() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try folder.write("old", to: "a.txt")
        let other = try await api.download(
            "file", to: folder.destination("a.txt"), options: DownloadOptions(onConflict: .rename))
        #expect(other.path == folder["a (1).txt"])
        #expect(folder.bytes(of: "a.txt") == Array("old".utf8))
        #expect(folder.bytes(of: "a (1).txt") == Array("new".utf8))
        let same = try await api.download(
            "file", to: folder.destination("a.txt"), options: DownloadOptions(onConflict: .overwrite))
        #expect(same.path == folder["a.txt"])
        #expect(folder.bytes(of: "a.txt") == Array("new".utf8))
        #expect(try folder.files() == ["a (1).txt", "a.txt"])
    }

    @Test("is not a folder or a symbolic link")
    func special() async throws {
        try folder.makeFolder("folder")
        try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: "missing")
        for name in ["folder", "link"] {
            let error = try await failure(at: folder[name], DownloadOptions(onConflict: .overwrite))
            #expect(error.code == .cannotMove)
            #expect(error.number == -3005)
            #expect(error.message.contains(folder[name]))
        }
        #expect(try await failure(at: folder.path + "/").code == .cannotCreate)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["folder"]).isEmpty)
    }

    @Test("gets another name, and nothing is written elsewhere, if a folder or a symbolic link has its name")
    func renameBeside() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let outside = try TemporaryFolder()
        try folder.makeFolder("folder.txt")
        for (name, target) in [("link.txt", outside.path), ("dangling.txt", outside["new"])] {
            try FileManager.default.createSymbolicLink(atPath: folder[name], withDestinationPath: target)
        }
        for name in ["folder", "link", "dangling"] {
            let file = try await api.download(
                "file", to: folder.destination("\(name).txt"), options: DownloadOptions(onConflict: .rename))
            #expect(file.path == folder["\(name) (1).txt"])
            #expect(folder.bytes(of: "\(name) (1).txt") == Array("new".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["folder.txt"]).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
    }

    @Test("needs its folder, which is created on request")
    func folders() async throws {
        let error = try await failure(at: folder["x/y/a"])
        #expect(error.code == .cannotCreate)
        #expect(error.number == -3000)
        #expect(error.message.contains(folder["x/y"]))
        let server = try server()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        try await api.download(
            "file", to: folder.destination("x/y/a"), options: DownloadOptions(createsFolders: true))
        #expect(try folder.files() == ["x/y/a"])
    }

    @Test("needs a folder in which files can be created", arguments: ["/proc", "/dev/null"])
    func unwritable(parent: String) async throws {
        for createsFolders in [false, true] {
            let error = try await failure(
                at: "\(parent)/errand-download", DownloadOptions(createsFolders: createsFolders))
            #expect(error.code == .cannotCreate)
            #expect(error.number == -3000)
            #expect(error.message.contains(parent))
        }
    }

    @Test("is as before if the disk is full", .enabled("requires permission to mount") { await SmallDisk.isMountable })
    func fullDisk() async throws {
        let disk = try await SmallDisk(mebibytes: 1)
        let content = ServedContent(4 << 20)
        let server = try ScriptedServer { connection in
            try content.respond(to: connection.readRequest(), on: connection)
        }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: .path("\(disk.path)/a"))
        }
        #expect(error?.code == .diskFull)
        #expect(error?.error.number == -3003)
        #expect(error?.message.contains(disk.path) == true)
        #expect(!FileManager.default.fileExists(atPath: "\(disk.path)/a"))
        server.stop()
        await disk.unmount()
    }
}
