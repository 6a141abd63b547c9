import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("The further requests of an attempt")
struct FurtherRequestsTests {
    @Test(
        "share its rate with its own request, in equal parts of at least a byte",
        arguments: [
            (1000, 0, true, 1000), (1000, 0, false, 1000), (1000, 1, true, 500), (1000, 1, false, 1000),
            (1000, 3, true, 250), (1000, 3, false, 333), (2, 3, true, 1), (nil, 3, true, nil), (nil, 0, false, nil),
        ] as [(Int64?, Int, Bool, Int64?)])
    func shares(pace: Int64?, count: Int, isTransferring: Bool, share: Int64?) {
        var further = FurtherRequests()
        further.pace = pace
        for _ in 0..<count { further.add(AttemptControl()) }
        #expect(further.share(isTransferring: isTransferring) == share)
    }

    @Test("add their bytes to its progress, also after their end, and leave it alone before the first")
    func progress() {
        let own = TransferProgress(sent: 7, received: 100, receiveTotal: 300)
        var further = FurtherRequests()
        #expect(further.added(to: own) == own)
        let (one, other) = (AttemptControl(), AttemptControl())
        one.showProgress { _ in TransferProgress(received: 20) }
        other.showProgress { _ in TransferProgress(received: 3) }
        further.add(one)
        further.add(other)
        #expect(further.added(to: own) == TransferProgress(sent: 7, received: 123))
        further.remove(one, received: 21)
        further.remove(other, received: 4)
        #expect(further.controls.isEmpty)
        #expect(further.added(to: own) == TransferProgress(sent: 7, received: 125))
    }
}
