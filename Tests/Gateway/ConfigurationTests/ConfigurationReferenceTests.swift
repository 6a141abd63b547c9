import Testing

@testable import ErrandConfiguration

@Suite("The reference page")
struct ConfigurationReferenceTests {
    @Test("docs/configuration.md equals the output of `errand config --reference`")
    func isUpToDate() throws {
        #expect(try Sample.projectFile("docs/configuration.md") == ConfigurationReference.markdown())
    }

    @Test("Every setting has a row with its type, default and description")
    func rows() {
        let page = ConfigurationReference.markdown()
        let row = "| `max_json` | size, 1KiB to 64MiB | `1MiB` | The size limit of a JSON body with one task. |\n"
        #expect(page.contains(row))
        #expect(page.contains("### `auth.tokens[]`\n"))
        #expect(page.contains("### `sessions.NAME.response.json`\n"))
        #expect(page.contains("### `sessions.NAME.credentials.api_key`\n"))
        #expect(page.contains("### `sessions.NAME.request.multipart_throttle`\n"))
        #expect(page.contains("### `sessions.NAME.reachability.probe`\n"))
        #expect(page.contains("| `multipart_throttle` | `none`, or settings | `none` |"))
        #expect(!page.contains("### `session_defaults"))
        #expect(page.contains("| `ERRAND_LOG_LEVEL` | `logging.level` | Replaces the value. |\n"))
        #expect(page.contains("\nNot available in this version: `postgres`.\n"))
    }
}
