import ErrandSettings
import Testing

@testable import ErrandSessionSettings

@Suite("Remedies of common mistakes in values of sessions")
struct SessionRemedyTests {
    @Test(
        "A class of statuses in capitals, or without its letters, has a remedy",
        arguments: [("4XX", "did you mean 4xx?"), ("5", "did you mean 5xx?"), ("9XX", nil)] as [(String, String?)])
    func statuses(text: String, remedy: String?) {
        #expect(Remedy.statuses(text) == remedy)
    }
}
