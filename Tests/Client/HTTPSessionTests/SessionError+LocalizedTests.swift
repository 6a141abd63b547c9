import Foundation
import HTTPSession
import Testing

@Suite("An error, as Foundation describes it")
struct SessionErrorLocalizedTests {
    @Test("is described by its message, of a request and of a download")
    func message() {
        let error = SessionError(.timedOut, "No byte was received")
        let errors: [any Error] = [error, DownloadError(error)]
        #expect(errors.map { $0.localizedDescription } == ["No byte was received", "No byte was received"])
    }
}
