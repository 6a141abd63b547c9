import Testing

@testable import ErrandConfiguration

@Suite("Paths in the configuration")
struct PathSettingsTests {
    @Test("Each path is checked for its use")
    func uses() {
        let yaml = """
            server: {listen: [{unix: s/e.sock}, {mode: '0600'}]}
            store: {sqlite: {path: d/e.db}}
            files: {data: a, uploads: u, downloads: w}
            """
        let problems = Sample.problems(yaml) { path, use in "\(path) as \(use)" }
        #expect(
            problems == [
                "config.yaml:1:26: server.listen[0].unix: s/e.sock as socket",
                "config.yaml:1:37: server.listen[1]: unix is required",
                "config.yaml:2:24: store.sqlite.path: d/e.db as writableFile",
                "config.yaml:3:15: files.data: a as writableDirectory",
                "config.yaml:3:27: files.uploads: u as directory",
                "config.yaml:3:41: files.downloads: w as writableDirectory",
            ])
    }

    @Test("Default paths are checked too")
    func defaults() {
        let problems = Sample.problems("") { path, use in "\(path) as \(use)" }
        #expect(
            problems == [
                "config.yaml:1:1: store.sqlite.path: data/errand.db as writableFile",
                "config.yaml:1:1: files.data: data as writableDirectory",
                "config.yaml:1:1: files.uploads: data/uploads as directory",
            ])
        #expect(Sample.problems("") { _, _ in nil } == [])
    }

    @Test(
        "The default directory of downloads is checked, unless that of all data has a problem already",
        arguments: [
            ("", "config.yaml:1:1: files.downloads: data/downloads as writableDirectory"),
            ("files: {data: a}", "config.yaml:1:8: files.downloads: a/downloads as writableDirectory"),
            ("files: {downloads: null}", "config.yaml:1:20: files.downloads: data/downloads as writableDirectory"),
        ])
    func defaultDownloads(yaml: String, problem: String) {
        let problems = Sample.problems(yaml) { path, use in
            path.hasSuffix("/downloads") ? "\(path) as \(use)" : nil
        }
        #expect(problems == [problem])
        let unusable = Sample.problems(yaml) { path, use in
            path.hasSuffix("/downloads") || !path.contains("/") ? "\(path) as \(use)" : nil
        }
        #expect(unusable.count == 1 && !unusable.contains(problem), "\(unusable)")
    }
}
