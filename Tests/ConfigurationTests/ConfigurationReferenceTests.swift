import Testing

@testable import Configuration

@Suite("The reference page")
struct ConfigurationReferenceTests {
    @Test("docs/configuration.md is what `errand config --reference` prints")
    func isUpToDate() throws {
        #expect(try Sample.projectFile("docs/configuration.md") == ConfigurationReference.markdown())
    }

    @Test("Every setting has a row, with its type, its default and what it does")
    func rows() {
        let page = ConfigurationReference.markdown()
        #expect(page.contains("| `max_json` | size, 1KiB to 64MiB | `1MiB` | The largest JSON body: one task. |\n"))
        #expect(page.contains("### `auth.tokens[]`\n"))
        #expect(page.contains("### `sessions.NAME.response.json`\n"))
        #expect(page.contains("### `sessions.NAME.credentials.api_key`\n"))
        #expect(page.contains("### `sessions.NAME.request.multipart_throttle`\n"))
        #expect(page.contains("### `sessions.NAME.reachability.probe`\n"))
        #expect(page.contains("| `multipart_throttle` | `none`, or settings | `none` |"))
        #expect(!page.contains("### `session_defaults"))
        #expect(page.contains("| `ERRAND_LOG_LEVEL` | `logging.level` | Replaces the value. |\n"))
        #expect(page.contains("\nNot available in this version: `downloads`, `min_free`.\n"))
    }
}
