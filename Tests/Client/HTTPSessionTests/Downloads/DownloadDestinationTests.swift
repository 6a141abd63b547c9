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

    @Test("that cannot be written ends the download, although its server is silent after the head")
    func silentServer() async throws {
        try folder.write("old", to: "a")
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        for (name, code) in [("a", .exists), ("missing/a", .cannotCreate)] as [(String, SessionErrorCode)] {
            for connections in [1, 2] {
                let options = DownloadOptions(connections: connections)
                let error = await #expect(throws: DownloadError.self) {
                    try await api.download("file", to: folder.destination(name), options: options)
                }
                #expect(error?.code == code)
            }
        }
        #expect(await Set(server.ended.first(4)) == [0, 1, 2, 3])
        #expect(try folder.files() == ["a"])
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

    /// Answers with a redirect, with a named file, or with a file without a name.
    private static func named(_ request: ScriptedRequest) -> ScriptedResponse {
        if request.line.contains("/latest") {
            return ScriptedResponse(status: "302 Found", fields: ["Location: /files/tool%201.bin"])
        }
        guard request.line.contains("/named") else { return ScriptedResponse(body: "new") }
        return ScriptedResponse(fields: [#"Content-Disposition: attachment; filename="../a b.txt""#], body: "new")
    }

    @Test("may be a file in a folder, with the name of the response, or else of the URL after the redirects")
    func suggested() async throws {
        let server = try ScriptedServer(answering: { Self.named($0) })
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let names = ["latest": "tool 1.bin", "named": "a b.txt", "x/plain.txt?y=/z": "plain.txt", "": "download"]
        for (path, name) in names {
            let file = try await api.download(path, to: .suggested(in: folder.path))
            #expect(file.path == folder[name])
            #expect(file.response.suggestedFilename == name)
        }
        #expect(try Set(folder.files()) == Set(names.values))
        let again = try await api.download(
            "named", to: .suggested(in: folder.path + "/"), options: DownloadOptions(onConflict: .rename))
        #expect(again.path == folder["a b (1).txt"])
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
