import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Permissions of the paths in the configuration")
    struct PathPermissionTests {
        /// A program that starts another without capabilities, so that permissions bind root too.
        private static let launcher = "/usr/bin/setpriv"

        /// True if permissions bind the checking process.
        static let isPossible = geteuid() != 0 || access(launcher, X_OK) == 0

        /// Returns the result of `errand check` for a configuration whose paths are in a folder.
        private func check(_ folder: TemporaryFolder) async throws -> (exit: ChildProcess.Exit, errors: String) {
            let yaml = """
                store: { sqlite: { path: \(folder["errand.db"]) } }
                files: { data: \(folder["data"]), uploads: \(folder["uploads/own"]) }
                sessions: { up: { base_url: "http://127.0.0.1/" } }

                """
            let command = [Errand.path, "check", try folder.write(yaml, to: "config.yaml")]
            let launch = geteuid() == 0 ? [Self.launcher, "--bounding-set=-all", "--inh-caps=-all"] : []
            let arguments = launch + command
            let process = try ChildProcess(
                arguments[0], Array(arguments.dropFirst()), environment: Errand.environment)
            let result = await process.result()
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
            .enabled(if: isPossible, "Permissions do not bind root"),
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
            .enabled(if: isPossible, "Permissions do not bind root"),
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
    }
}
