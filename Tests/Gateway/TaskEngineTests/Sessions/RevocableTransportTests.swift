import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandTaskEngine

@Suite("RevocableTransport", .timeLimit(.hang))
struct RevocableTransportTests {
    @Test("Once revoked, transfers under way continue and none begins, nor does a connection")
    func revoked() async throws {
        let gate = ScriptedTransport.Gate()
        let begun = EventLog<Void>()
        let inner = ScriptedTransport { _ in
            begun.append()
            return [.wait(gate), .head(ResponseHead(status: 200))]
        }
        let transport = RevocableTransport(inner)
        let request = TransferRequest(url: try HTTPURL("http://upstream.example/"))
        #expect(await transport.connect(to: request.url, timeout: .seconds(1)) == nil)
        async let running = transport.perform(request, receiver: DiscardingReceiver())
        _ = await begun.first(1)
        transport.revoke()
        let refused = await transport.perform(request, receiver: DiscardingReceiver())
        #expect(refused.error?.code == .sessionClosed)
        #expect(refused.error?.mayHaveArrived == false)
        #expect(await transport.connect(to: request.url, timeout: .seconds(1))?.code == .sessionClosed)
        gate.open()
        let outcome = await running
        #expect(outcome.head?.status == 200)
        #expect(inner.requests.count == 1)
    }
}
