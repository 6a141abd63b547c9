import ErrandFuzzing
import ErrandSupport
import Foundation
import Testing

@Suite("Fuzz targets")
struct CorpusTests {
    /// A file of the corpus: a typical input of a target, or one that once broke it.
    struct Seed: Sendable, CustomTestStringConvertible {
        var target: FuzzTarget
        var file: URL

        var testDescription: String { "\(target.name)/\(file.lastPathComponent)" }
    }

    private static let corpus = ProjectFolder.root.appending(path: "Fuzz/Corpus")

    private static let seeds = FuzzTarget.all.flatMap { target in
        files(of: target.name).map { Seed(target: target, file: $0) }
    }

    private static func files(of folder: String) -> [URL] {
        let folder = corpus.appendingPathComponent(folder)
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test("Each seed upholds every invariant of its target", arguments: seeds)
    func holds(seed: Seed) async throws {
        try await seed.target.run(Array(Data(contentsOf: seed.file)))
    }

    @Test("Each target has seeds, and each folder of seeds a target")
    func corpusIsWhole() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
        for target in FuzzTarget.all {
            #expect(Self.files(of: target.name).count >= 3, "\(target.name)")
        }
    }

    @Test("A target is found by its name")
    func names() {
        for target in FuzzTarget.all { #expect(FuzzTarget.named(target.name)?.name == target.name) }
        #expect(FuzzTarget.named("nothing") == nil)
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }
}
