import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("A session's error")
struct SessionErrorTests {
    @Test("of a transfer has its code, message and possible arrival", arguments: TransferError.Code.allCases)
    func transfer(code: TransferError.Code) {
        let error = SessionError(TransferError(code, "What happened", mayHaveArrived: true))
        #expect(error.code.rawValue == code.rawValue)
        #expect(error.message == "What happened")
        #expect(error.mayHaveArrived)
        #expect(error.isRetryable == error.code.isRetryable)
        #expect(error.underlying == nil)
    }

    @Test("has an underlying error")
    func underlying() {
        let inner = SessionError(.unacceptableContentType, "Inner")
        var outer = SessionError(.unacceptableStatus, "Outer", isRetryable: true, underlying: inner)
        #expect(outer.underlying == inner)
        #expect(outer.isRetryable)
        #expect(
            outer.description
                == "response.unacceptable_status: Outer (response.unacceptable_content_type: Inner)")
        outer.underlying = nil
        #expect(outer.underlying == nil)
    }

    @Test("is described without the domain of the gateway, which a program may not have")
    func ownDomain() {
        #expect(SessionError.canceled.description == "canceled: The task was canceled")
        #expect(SessionError(.sessionClosed, "Closed").description == "session_closed: Closed")
        #expect(SessionError(.urlOutOfScope, "Elsewhere").description == "policy.url_out_of_scope: Elsewhere")
    }
}
