import ErrandSupport
import Foundation
import HTTPSessionYAML
import Testing

@Suite("The file in the documentation")
struct DocumentedFileTests {
    /// Returns the rest of the first block of code of the page that begins with a text.
    private static func block(after start: String) throws -> String {
        let path = "Sources/Client/HTTPSessionYAML/HTTPSessionYAML.docc/HTTPSessionYAML.md"
        let page = try String(contentsOf: ProjectFolder.root.appending(path: path), encoding: .utf8)
        let rest = try #require(page.components(separatedBy: "```" + start).dropFirst().first)
        return try #require(rest.components(separatedBy: "\n```").first)
    }

    @Test("has with two mistakes in it the problems that the page shows, character for character")
    func problems() throws {
        let file = try Self.block(after: "yaml\n")
        let mistaken = file.replacingOccurrences(of: "connect: 5s", with: "connect: 5 sec")
            .replacingOccurrences(of: "headers:", with: "headrs:")
        let shown = try "sessions.yaml:" + Self.block(after: "\nsessions.yaml:")
        let error = try #require(SessionFile.error(mistaken, environment: ["GITHUB_TOKEN": "t"]))
        // The last problem is the file of certificates, which does not exist here.
        #expect(error.problems.dropLast().map(\.description).joined(separator: "\n") == shown)
        #expect(error.problems.last?.path == "sessions.billing.security.ca_file")
    }
}
