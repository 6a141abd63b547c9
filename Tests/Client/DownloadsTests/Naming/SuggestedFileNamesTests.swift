import ErrandDownloads
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The suggested names of a file")
struct SuggestedFileNamesTests {
    @Test(
        "are that of the response, then that of the URL, then a general one",
        arguments: [
            ("attachment; filename=\"a.pdf\"", "https://example.com/b.pdf", "a.pdf"),
            ("attachment; filename*=UTF-8''%c3%a9.pdf", "https://example.com/b.pdf", "é.pdf"),
            ("attachment; filename=\"b.pdf\"; filename*=UTF-8''%c3%a9.pdf", "https://example.com/c.pdf", "é.pdf"),
            ("attachment; filename=\"b.pdf\"; filename*=UTF-8''..", "https://example.com/c.pdf", "b.pdf"),
            ("attachment; filename=\"b.pdf\"; filename*=UTF-8''", "https://example.com/c.pdf", "b.pdf"),
            ("attachment; filename=\"../../a\"", "https://example.com/b", "a"),
            ("attachment; filename=\"..\"", "https://example.com/b.pdf", "b.pdf"),
            ("attachment; filename=\"\"", "https://example.com/b.pdf", "b.pdf"),
            ("attachment", "https://example.com/b.pdf", "b.pdf"),
            ("", "https://example.com/b.pdf", "b.pdf"),
            (nil, "https://example.com/x/b.pdf?c=/d#/e", "b.pdf"),
            (nil, "https://example.com/b%20c.pdf", "b c.pdf"),
            (nil, "https://example.com/%C3%A9", "é"),
            // A decoded slash separates, too.
            (nil, "https://example.com/..%2F..%2Fetc%2Fpasswd", "passwd"),
            (nil, "https://example.com/%2e%2e", "download"),
            (nil, "https://example.com/a%00b", "ab"),
            // Not UTF-8.
            (nil, "https://example.com/%FF.pdf", "%FF.pdf"),
            (nil, "https://example.com/a/", "download"),
            (nil, "https://example.com/", "download"),
            (nil, "https://example.com", "download"),
            (nil, "https://example.com?a/b/c", "download"),
            (nil, "", "download"),
        ] as [(String?, String, String)])
    func order(contentDisposition: String?, url: String, expected: String) {
        let names = SuggestedFileNames(contentDisposition: contentDisposition, url: url)
        #expect(names.name()?.text == expected)
    }

    @Test("are those of a response too, by its head, or by the URL that responded")
    func response() throws {
        let url = try HTTPURL("https://example.com/x/b%20c.pdf?d=e")
        let head = ResponseHead(
            status: 200, headers: [.contentDisposition: "attachment; filename=\"a.pdf\"; filename*=UTF-8''%c3%a9.pdf"])
        #expect(SessionResponse(head: head, url: url).suggestedFilename == "é.pdf")
        let bare = ResponseHead(status: 200)
        #expect(SessionResponse(head: bare, url: url).suggestedFilename == "b c.pdf")
        let root = try HTTPURL("https://example.com/")
        #expect(SessionResponse(head: bare, url: root).suggestedFilename == "download")
    }

    @Test("are shortened to the room that there is")
    func room() {
        let names = SuggestedFileNames(contentDisposition: nil, url: "https://example.com/report.pdf")
        #expect(names.name(maxBytes: 8)?.text == "repo.pdf")
        #expect(names.name(maxBytes: 1)?.text == "r")
        #expect(names.name(maxBytes: 0) == nil)
    }
}
