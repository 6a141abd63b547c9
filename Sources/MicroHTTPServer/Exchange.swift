import HTTPServer
import HTTPTypes
import Synchronization

/// One request and its answer, with what its ``ExchangeMachine`` needs to act.
///
/// `@unchecked Sendable`: everything in it is touched by the server's thread alone. Other threads hold references, to
/// send them back to that thread through the ``Mailbox``; the counter is atomic.
final class Exchange: @unchecked Sendable {
    /// What is to be called when the request is complete.
    enum Work {
        case none
        case bodyless(@Sendable () async -> ServerResponse)
        case buffered(tooLarge: ServerResponse, @Sendable ([UInt8]) -> Reply)
    }

    let loop: ServerLoop
    let connection: ServerConnection
    /// libmicrohttpd's connection, valid until the exchange ends.
    let handle: OpaquePointer
    /// The raw target, `nil` when it is longer than allowed.
    let target: String?
    var machine: ExchangeMachine
    var method = HTTPRequest.Method.get
    var work = Work.none
    var content: [UInt8] = []
    var contentSource: RequestBodySource?
    var answer: ServerResponse?
    var answerStream: AnswerStream?
    /// The handler, or the making of a part of the answer.
    var task: Task<Void, Never>?
    private let counters: ServerCounters

    init(
        loop: ServerLoop, connection: ServerConnection, handle: OpaquePointer, target: String?, machine: ExchangeMachine
    ) {
        self.loop = loop
        self.connection = connection
        self.handle = handle
        self.target = target
        self.machine = machine
        counters = loop.counters
        counters.exchanges.wrappingAdd(1, ordering: .relaxed)
        counters.requests.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        counters.exchanges.wrappingSubtract(1, ordering: .relaxed)
    }
}
