import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("The progress that an attempt shows")
struct ShownProgressTests {
    @Test("is that of the transfer, then what is made of it, and at last what was kept")
    func shown() {
        var shown = ShownProgress()
        let transfer = TransferProgress(received: 5)
        #expect(shown.progress(of: transfer) == transfer)
        shown.convert { TransferProgress(received: $0.received + 1000) }
        #expect(shown.progress(of: transfer).received == 1005)
        shown.keep(TransferProgress(received: 2000))
        #expect(shown.progress(of: transfer).received == 2000)
    }

    @Test("releases the closure once it is kept")
    func release() {
        final class Captured: Sendable {}
        var captured: Captured? = Captured()
        weak var weakly: Captured?
        weakly = captured
        var shown = ShownProgress()
        shown.convert { [captured] progress in
            _ = captured
            return progress
        }
        captured = nil
        #expect(weakly != nil)
        shown.keep(TransferProgress())
        #expect(weakly == nil)
    }
}
