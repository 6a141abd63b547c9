import ErrandDownloads
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("The template of a destination")
struct DestinationTemplateTests {
    private static let created = Timestamp(milliseconds: 1_795_000_000_000)
    private static let id = TaskID.first(at: created)

    private func values(
        session: String = "github", disposition: String? = nil, url: String = "https://example.com/report.pdf"
    ) -> DestinationValues {
        DestinationValues(
            taskID: Self.id, session: session, created: Self.created,
            fileNames: SuggestedFileNames(contentDisposition: disposition, url: url))
    }

    @Test(
        "is the path itself without words",
        arguments: ["a", "reports/2026.pdf", "a/b/c/d", ".hidden/a", "a b/c", "résumé", "..a/b"])
    func literal(text: String) throws {
        #expect(try DestinationTemplate(text).path(for: values()).description == text)
    }

    @Test(
        "has its words replaced",
        arguments: [
            ("{filename}", "report.pdf"),
            ("{session}/{date}/{filename}", "github/2026-11-18/report.pdf"),
            ("{task_id}.bin", "\(id).bin"),
            ("x{session}y{session}z", "xgithubygithubz"),
            ("{filename}-{filename}", "report.pdf-report.pdf"),
            ("{date}_{filename}", "2026-11-18_report.pdf"),
        ])
    func words(text: String, expected: String) throws {
        #expect(try DestinationTemplate(text).path(for: values()).description == expected)
    }

    /// Returns a name of so many bytes.
    private static func text(_ count: Int) -> String {
        String(repeating: "a", count: count)
    }

    private static let refusals: [(String, String)] = [
        ("", "is empty"), ("/etc/passwd", "is an absolute path"), ("/", "is an absolute path"),
        ("..", "leads to another folder"), ("../a", "leads to another folder"), ("a/../b", "leads to another"),
        ("a/..", "leads to another folder"), (".", "leads to another folder"), ("./a", "leads to another folder"),
        ("a/", "is empty"), ("a//b", "is empty"), ("a\\..\\b", "has a slash or a backslash"),
        ("a\0b", "has a control character"), ("a/\u{202E}b", "has a control character"),
        ("a\n", "has a control character"), ("a./b", "ends with a dot"), ("{filename}.", "ends with a dot"),
        ("nul", "is reserved"), ("a/CON.txt/b", "is reserved"), (".{filename}.part", "is reserved"),
        (text(256), "is longer than 255 bytes"),
        ("\(text(255)){filename}", "is longer than 255 bytes"),
        ("\(text(220)){task_id}", "is longer than 255 bytes"),
        (text(1025), "is longer than 1024 bytes"),
        ("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", "has more than 32 names"),
        ("{", "unmatched brace"), ("}", "unmatched brace"), ("a}b", "unmatched brace"),
        ("{session", "unmatched brace"), ("{a/b}", "unmatched brace"), ("{session}}", "unmatched brace"),
        ("{}", "unknown word {}"), ("{name}", "expected {task_id}, {session}, {date}, {filename}"),
        ("{Session}", "unknown word {Session}"), ("{{session}}", "unknown word {{session}"),
    ]

    @Test("is refused with its first problem", arguments: refusals)
    func refused(text: String, problem: String) {
        let error = #expect(throws: DestinationProblem.self) { try DestinationTemplate(text) }
        #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
    }

    @Test(
        "stays in its folder for every suggested name",
        arguments: [
            ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..", "report.pdf"), ("a/..", "report.pdf"),
            ("..\\\\..\\\\a.exe", "a.exe"), ("con", "_con"), (".bashrc", "bashrc"), ("{task_id}", "{task_id}"),
        ])
    func suggested(filename: String, expected: String) throws {
        let template = try DestinationTemplate("downloads/{filename}")
        let path = try template.path(for: values(disposition: "attachment; filename=\"\(filename)\""))
        #expect(path.description == "downloads/\(expected)")
        #expect(path.names.count == 2)
    }

    @Test("leaves to a suggested name the room that its component has")
    func room() throws {
        let url = "https://example.com/\(String(repeating: "a", count: 4096)).pdf"
        let path = try DestinationTemplate("{date}-{filename}-x").path(for: values(url: url))
        let name = try #require(path.names.last)
        #expect(name.text.utf8.count == 255)
        #expect(name.text.hasSuffix("a.pdf-x"))
        let twice = try DestinationTemplate("{filename}{filename}").path(for: values(url: url))
        #expect(twice.names.last?.text.utf8.count == 254)
    }

    @Test(
        "is refused for a task whose values are no names",
        arguments: [("a/{session}", "nul", "is reserved"), ("co{session}", "n", "is reserved")])
    func session(text: String, session: String, problem: String) throws {
        let template = try DestinationTemplate(text)
        let error = #expect(throws: DestinationProblem.self) { try template.path(for: values(session: session)) }
        #expect(error?.description.contains(problem) == true)
    }

    @Test("is refused for a task if its values leave no room")
    func noRoom() throws {
        let template = try DestinationTemplate(String(repeating: "a", count: 252) + "{session}{filename}")
        let error = #expect(throws: DestinationProblem.self) { try template.path(for: values(session: "long")) }
        #expect(error?.description == "has a name that is longer than 255 bytes")
        #expect(try template.path(for: values(session: "s")).names.last?.text.utf8.count == 255)
    }
}
