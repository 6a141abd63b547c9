import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Permissions of the paths in the configuration")
    struct PathPermissionTests {
        /// Returns the result of `errand check` for a configuration whose paths are in a folder.
        private func check(
            _ folder: TemporaryFolder, database: String = "errand.db", data: String = "data"
        ) async throws -> (exit: ChildProcess.Exit, errors: String) {
            let yaml = """
                store: { sqlite: { path: \(folder[database]) } }
                files: { data: \(folder[data]), uploads: \(folder["uploads/own"]) }
                sessions: { up: { base_url: "http://127.0.0.1/" } }

                """
            let file = try folder.write(yaml, to: "config.yaml")
            let result = try await Unprivileged.run("check", file)
            return (result.exit, result.errors)
        }

        /// Returns a folder with a database and all directories.
        private func folder() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try folder.write("", to: "errand.db")
            try folder.makeFolder("data/downloads")
            try folder.makeFolder("uploads/own")
            return folder
        }

        @Test(
            "check refuses paths that exist and that the process cannot use",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"),
            arguments: [
                ("errand.db", 0o400, "store.sqlite.path", "is not writable by this user"),
                ("errand.db", 0o200, "store.sqlite.path", "is not readable by this user"),
                ("data", 0o500, "files.data", "is not writable by this user"),
                ("data", 0o300, "files.data", "is not readable by this user"),
                ("data", 0o600, "files.data", "cannot be entered by this user"),
                ("data/downloads", 0o300, "files.downloads", "is not readable by this user"),
                ("data/downloads", 0o500, "files.downloads", "is not writable by this user"),
                ("uploads/own", 0o300, "files.uploads", "is not readable by this user"),
                ("uploads/own", 0o400, "files.uploads", "cannot be entered by this user"),
            ] as [(String, mode_t, String, String)])
        func refused(name: String, mode: mode_t, setting: String, problem: String) async throws {
            let folder = try folder()
            #expect(chmod(folder[name], mode) == 0)
            // The folder is removed afterwards.
            defer { chmod(folder[name], 0o700) }
            let checked = try await check(folder)
            #expect(checked.exit == .status(78))
            let expected = "\(setting): \(folder[name]) \(problem)"
            #expect(checked.errors.contains(expected), "\(checked.errors)")
        }

        @Test(
            "check accepts directories with just the permissions that their use needs",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"),
            arguments: [
                ("errand.db", 0o600), ("data", 0o700), ("uploads/own", 0o500), ("uploads", 0o100),
            ] as [(String, mode_t)])
        func accepted(name: String, mode: mode_t) async throws {
            let folder = try folder()
            if name == "uploads" { try FileManager.default.removeItem(atPath: folder["uploads/own"]) }
            #expect(chmod(folder[name], mode) == 0)
            defer { chmod(folder[name], 0o700) }
            let checked = try await check(folder)
            #expect(checked.exit == .status(0), "\(checked.errors)")
        }

        @Test(
            "check refuses a link to nothing, such as a volume that is not mounted, in place of a folder for files",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"),
            arguments: [
                ("data", "data", "files.data"), ("data", "data/", "files.data"),
                ("data/downloads", "data", "files.downloads"),
            ])
        func linkToNothing(name: String, data: String, setting: String) async throws {
            let folder = try folder()
            try FileManager.default.removeItem(atPath: folder[name])
            try FileManager.default.createSymbolicLink(atPath: folder[name], withDestinationPath: folder["volume"])
            let checked = try await check(folder, data: data)
            #expect(checked.exit == .status(78))
            let path = name == "data" ? folder[data] : folder[name]
            let expected = "\(setting): \(path) is a link that leads nowhere; mount or create its target"
            #expect(checked.errors.contains(expected), "\(checked.errors)")

            try folder.makeFolder("volume")
            let mounted = try await check(folder, data: data)
            #expect(mounted.exit == .status(0), "\(mounted.errors)")
        }

        @Test(
            "The folder of uploads may be missing, also behind a link",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"))
        func linkedUploads() async throws {
            let folder = try folder()
            try FileManager.default.removeItem(atPath: folder["uploads/own"])
            try FileManager.default.createSymbolicLink(
                atPath: folder["uploads/own"], withDestinationPath: folder["volume"])
            let checked = try await check(folder)
            #expect(checked.exit == .status(0), "\(checked.errors)")
        }

        @Test(
            "check examines the folder to which a link in place of the database leads, and not that of the link",
            .enabled(if: Unprivileged.isPossible, "Permissions do not bind root"))
        func linkedDatabase() async throws {
            let folder = try folder()
            try folder.makeFolder("links")
            try folder.makeFolder("store")
            try FileManager.default.createSymbolicLink(
                atPath: folder["links/errand.db"], withDestinationPath: "../store/tasks.db")
            try FileManager.default.createSymbolicLink(
                atPath: folder["links/circle.db"], withDestinationPath: "circle.db")
            #expect(chmod(folder["links"], 0o500) == 0)
            // The folder is removed afterwards.
            defer { chmod(folder["links"], 0o700) }
            let accepted = try await check(folder, database: "links/errand.db")
            #expect(accepted.exit == .status(0), "\(accepted.errors)")

            #expect(chmod(folder["store"], 0o500) == 0)
            defer { chmod(folder["store"], 0o700) }
            let refused = try await check(folder, database: "links/errand.db")
            #expect(refused.exit == .status(78))
            let problem = "store.sqlite.path: \(folder["store"]) is not writable by this user"
            #expect(refused.errors.contains(problem), "\(refused.errors)")

            let circle = try await check(folder, database: "links/circle.db")
            #expect(circle.exit == .status(78))
            let nowhere = "store.sqlite.path: \(folder["links/circle.db"]) is a link that leads nowhere"
            #expect(circle.errors.contains(nowhere), "\(circle.errors)")
        }
    }
}
