import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("The machine of a streamed response")
struct StreamMachineTests {
    private let head = ResponseHead(status: 200)
    private let failure = SessionError(.connectionLost, "lost")

    private func append(_ count: Int, to machine: inout StreamMachine, maxHeldBytes: Int64 = 10) -> ReceiveDecision {
        machine.append([UInt8](repeating: 7, count: count).span.bytes, maxHeldBytes: maxHeldBytes)
    }

    /// A text for a step, as steps cannot be compared.
    private func read(_ machine: inout StreamMachine) -> String {
        switch machine.read() {
        case .wait: "wait"
        case .bytes(let bytes, let resumes): "\(bytes.count) bytes\(resumes ? ", resumes" : "")"
        case .end: "end"
        case .fail(let error): error.message
        }
    }

    @Test("gives the reader what has come, then the end")
    func reads() {
        var machine = StreamMachine()
        #expect(!machine.isDecided)
        #expect(machine.begin(head, isStreamed: true) == true)
        #expect(machine.isDecided)
        #expect(!machine.isReadable)
        #expect(read(&machine) == "wait")
        _ = append(3, to: &machine)
        _ = append(4, to: &machine)
        #expect(machine.isReadable)
        #expect(read(&machine) == "7 bytes")
        #expect(read(&machine) == "wait")
        _ = append(1, to: &machine)
        machine.end(head, nil)
        #expect(read(&machine) == "1 bytes")
        #expect(read(&machine) == "end")
        #expect(read(&machine) == "end")
        #expect(machine.received == 8)
    }

    @Test("pauses the transfer at its limit, and resumes it once when the reader has taken the content")
    func pauses() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: true) == true)
        guard case .more = append(StreamMachine.maxBufferedBytes - 1, to: &machine) else {
            Issue.record("There is room for one byte more")
            return
        }
        guard case .pause = append(1, to: &machine) else {
            Issue.record("The limit is reached")
            return
        }
        #expect(read(&machine) == "\(StreamMachine.maxBufferedBytes) bytes, resumes")
        _ = append(1, to: &machine)
        #expect(read(&machine) == "1 bytes")
    }

    @Test("reports a failure once, after the content")
    func fails() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: true) == true)
        _ = append(2, to: &machine)
        machine.discard()
        machine.end(head, failure)
        #expect(read(&machine) == "2 bytes")
        #expect(read(&machine) == "lost")
        #expect(read(&machine) == "end")
    }

    @Test("gives a held response to the reader after a success")
    func holds() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: false) == true)
        _ = append(2, to: &machine)
        #expect(!machine.isDecided)
        #expect(!machine.isReadable)
        #expect(machine.held?.count == 2)
        machine.end(head, nil)
        #expect(machine.head?.status == 200)
        #expect(read(&machine) == "2 bytes")
        #expect(read(&machine) == "end")
    }

    @Test("drops a held response after a failure, and when another one begins")
    func drops() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: false) == true)
        _ = append(2, to: &machine)
        #expect(machine.begin(head, isStreamed: false) == true)
        #expect(machine.held == [])
        #expect(machine.received == 0)
        _ = append(2, to: &machine)
        machine.end(head, failure)
        #expect(machine.isDecided)
        #expect(machine.head == nil)
        #expect(read(&machine) == "lost")
    }

    @Test("limits only held responses")
    func limits() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: false) == true)
        _ = append(10, to: &machine)
        guard case .stop(let error) = append(1, to: &machine) else {
            Issue.record("The limit is exceeded")
            return
        }
        #expect(error.code == .bodyTooLarge)
        #expect(machine.begin(head, isStreamed: true) == true)
        guard case .more = append(11, to: &machine) else {
            Issue.record("There is no limit")
            return
        }
    }

    @Test("begins no other response after a streamed one")
    func streamsOne() {
        var machine = StreamMachine()
        #expect(machine.begin(head, isStreamed: true) == true)
        #expect(machine.begin(head, isStreamed: true) == false)
        #expect(machine.begin(head, isStreamed: false) == false)
    }

    @Test("has nothing to read if the response goes somewhere else")
    func diverts() {
        var machine = StreamMachine()
        machine.divert()
        #expect(machine.isDecided)
        machine.end(head, nil)
        #expect(machine.head == nil)
        #expect(read(&machine) == "end")
    }
}
