import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("ProgressMachine")
struct ProgressMachineTests {
    private let start = ContinuousClock.now
    private var machine = ProgressMachine()

    private func at(_ milliseconds: Int64) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    /// Asks for a report about received content.
    private mutating func received(
        _ bytes: Int64, of total: Int64? = nil, at milliseconds: Int64, counts: Bool = true
    ) -> ProgressReport? {
        machine.report(
            TransferProgress(sendTotal: 0, received: bytes, receiveTotal: total), countsResponse: counts,
            at: at(milliseconds))
    }

    /// Asks for a report about sent content.
    private mutating func sent(_ bytes: Int64, of total: Int64?, at milliseconds: Int64) -> ProgressReport? {
        machine.report(TransferProgress(sent: bytes, sendTotal: total), countsResponse: false, at: at(milliseconds))
    }

    private mutating func ended(
        _ progress: TransferProgress, at milliseconds: Int64, isSuccess: Bool = true
    ) -> ProgressReport? {
        machine.finalReport(progress, countsResponse: true, isSuccess: isSuccess, at: at(milliseconds))
    }

    @Test("Two reports are a tenth of a second apart, so that there are at most ten a second")
    mutating func interval() {
        var times: [Int64] = []
        for time in Int64(0)...1000 where received(time + 1, at: time) != nil { times.append(time) }
        let expected: [Int64] = Array(stride(from: 0, through: 1000, by: 100))
        #expect(times == expected)
    }

    @Test("The last report comes at any time, and says 100 % even if the total was unknown")
    mutating func last() {
        let first = received(10, at: 0)
        let last = ended(TransferProgress(sendTotal: 0, received: 30), at: 1)
        #expect(first?.download.completed == 10)
        #expect(first?.download.total == nil)
        #expect(first?.download.fraction == nil)
        #expect(last?.download == DirectionProgress(completed: 30, total: 30, decoded: 30, timeLeft: .zero))
        #expect(last?.download.fraction == 1)
        #expect(last?.upload.fraction == 1)
    }

    @Test("The last report of a success has the bytes of its response, also if an earlier attempt has received more")
    mutating func shorterResponse() {
        let lost = TransferProgress(sendTotal: 0, received: 1200, receivedOnWire: 600)
        let whole = TransferProgress(sendTotal: 0, received: 700, receivedOnWire: 300)
        let first = machine.report(lost, countsResponse: true, at: start)
        machine.transferDidBegin()
        let last = ended(whole, at: 100)
        #expect(first?.download.completed == 600)
        #expect(last?.download.completed == 300)
        #expect(last?.download.decoded == 700)
        #expect(last?.download.total == 300)
        #expect(last?.download.timeLeft == .zero)
    }

    @Test("The last report of a success says that all content was sent, also if the last attempt has sent less")
    mutating func earlyResponse() {
        _ = sent(600, of: 1000, at: 0)
        machine.transferDidBegin()
        let last = ended(TransferProgress(sent: 300, sendTotal: 1000), at: 100)
        #expect(last?.upload.completed == 600)
        #expect(last?.upload.fraction == 1)
    }

    @Test("The last report of a failure has the bytes so far")
    mutating func failure() {
        _ = received(10, of: 100, at: 0)
        let last = ended(TransferProgress(received: 30, receiveTotal: 100), at: 1, isSuccess: false)
        #expect(last?.download.completed == 30)
        #expect(last?.download.total == 100)
    }

    @Test("The same numbers are not reported again")
    mutating func unchanged() {
        let first = received(100, of: 100, at: 0)
        let second = received(100, of: 100, at: 500)
        let last = ended(TransferProgress(sendTotal: 0, received: 100, receiveTotal: 100), at: 1000)
        #expect(first?.download.fraction == 1)
        #expect(second == nil)
        #expect(last == nil)
    }

    @Test("Progress that is read again without a change is no part of the measurement of the rate")
    mutating func readAgain() {
        let first = received(10, at: 0)
        let second = received(10, at: 100)
        let third = received(30, at: 200)
        #expect(first?.download.bytesPerSecond == nil)
        #expect(second == nil)
        #expect(third?.download.bytesPerSecond == 100)
    }

    @Test("The bytes of a transfer that has ended are in the next report, also if another transfer has begun")
    mutating func endOfTransfer() {
        let first = received(10, of: 100, at: 0)
        machine.transferDidEnd(
            TransferProgress(sendTotal: 0, received: 30, receiveTotal: 100), countsResponse: true, at: at(50))
        machine.transferDidBegin()
        let early = machine.report(TransferProgress(), countsResponse: false, at: at(99))
        let next = machine.report(TransferProgress(), countsResponse: false, at: at(100))
        #expect(first?.download.completed == 10)
        #expect(early == nil)
        #expect(next?.download.completed == 30)
    }

    @Test("Content that was sent stays counted if a redirect drops it")
    mutating func dropped() {
        _ = sent(50, of: 50, at: 0)
        let report = received(10, of: 10, at: 100)
        #expect(report?.upload.completed == 50)
        #expect(report?.upload.fraction == 1)
    }

    @Test("The content of responses that do not count is left out")
    mutating func uncounted() {
        let first = received(70, of: 70, at: 0, counts: false)
        let second = received(10, of: 100, at: 100)
        #expect(first?.download == DirectionProgress())
        #expect(second?.download.completed == 10)
        #expect(second?.download.fraction == 0.1)
    }

    @Test("Completed bytes are those on the wire, told apart from decoded ones")
    mutating func encoded() {
        let progress = TransferProgress(
            sendTotal: 0, received: 400, receiveTotal: nil, receivedOnWire: 25, receiveTotalOnWire: 100)
        let report = machine.report(progress, countsResponse: true, at: start)
        #expect(report?.download == DirectionProgress(completed: 25, total: 100, decoded: 400))
        #expect(report?.download.fraction == 0.25)
    }

    @Test("No attempts at the same content make the numbers smaller", arguments: 1...20 as ClosedRange<UInt64>)
    mutating func monotonic(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var reports: [ProgressReport] = []
        var time: Int64 = 0
        for _ in 0..<20 {
            machine.transferDidBegin()
            var bytes: Int64 = 0
            for _ in 0..<Int64.random(in: 1...10, using: &random) {
                bytes = min(bytes + Int64.random(in: 0...200, using: &random), 1000)
                time += Int64.random(in: 0...150, using: &random)
                if let report = received(bytes, of: 1000, at: time) { reports.append(report) }
            }
        }
        if let report = ended(TransferProgress(received: 1000, receiveTotal: 1000), at: time) { reports.append(report) }
        let completed = reports.map(\.download.completed)
        #expect(completed == completed.sorted())
        #expect(reports.last?.download.fraction == 1)
        #expect(reports.allSatisfy { ($0.download.bytesPerSecond ?? 0) >= 0 })
        #expect(reports.allSatisfy { ($0.download.timeLeft ?? .zero) >= .zero })
    }
}
