import HTTPTypes
import Testing

@testable import ErrandHTTPServer

@Suite("ResponseChange")
struct ResponseChangeTests {
    private let buffered = RequestDisposition.buffered(
        limitBytes: 4, tooLarge: { ServerResponse(status: .contentTooLarge) }
    ) { _ in .immediate(ServerResponse(status: .ok)) }

    @Test("An immediate response is changed at once")
    func immediate() {
        let disposition = RequestDisposition.immediate(ServerResponse(status: .ok))
            .changingResponses { $0.status = .accepted }
        guard case .immediate(let response) = disposition else {
            Issue.record("not immediate: \(disposition)")
            return
        }
        #expect(response.status == .accepted)
    }

    @Test("Changes are applied in the order in which they were added")
    func order() {
        let disposition =
            buffered
            .changingResponses { $0.headers[.server] = "inner" }
            .changingResponses { $0.headers[.server]? += ", outer" }
        var response = ServerResponse(status: .ok)
        disposition.applyChanges(to: &response)
        #expect(response.headers[.server] == "inner, outer")
    }

    @Test("A response that the server sends by itself is changed, but not observed")
    func ownResponse() {
        let disposition =
            buffered
            .observingResponses { _ in Issue.record("observed") }
            .changingResponses { $0.headers[.server] = "changed" }
        var response = ServerResponse(status: .contentTooLarge)
        disposition.applyChanges(to: &response, isObserved: false)
        #expect(response.headers[.server] == "changed")
    }

    @Test("The response of the handler is observed as the inner handlers have changed it")
    func observed() async {
        await confirmation { seen in
            let disposition =
                buffered
                .changingResponses { $0.status = .accepted }
                .observingResponses {
                    #expect($0.status == .accepted)
                    seen()
                }
                .changingResponses { $0.status = .created }
            var response = ServerResponse(status: .ok)
            disposition.applyChanges(to: &response)
            #expect(response.status == .created)
        }
    }
}
