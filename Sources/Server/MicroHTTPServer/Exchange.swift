import ErrandHTTPServer
import ErrandTime
import HTTPTypes
import Synchronization

/// One request and its response, with the data that its ``ExchangeMachine`` needs to act.
///
/// `@unchecked Sendable`: only the server's thread accesses the contents. Other threads keep references, to pass them
/// back to that thread through the ``Mailbox``; the counter is atomic.
final class Exchange: @unchecked Sendable {
    /// The closure to call when the request is complete.
    enum Work {
        case none
        case deferred(@Sendable () async -> ServerResponse)
        case buffered(tooLarge: @Sendable () -> ServerResponse, @Sendable ([UInt8]) -> BufferedDisposition)
    }

    let loop: ServerLoop
    let connection: ServerConnection
    /// libmicrohttpd's connection, valid until the exchange ends.
    let handle: OpaquePointer
    /// The raw target, or `nil` if it is longer than allowed.
    let target: String?
    var machine: ExchangeMachine
    var method = HTTPRequest.Method.get
    /// The part of the request that is known, for the handler's statistics.
    var report: ExchangeReport
    var isHTTP10 = false
    /// The identifier that the handler has given to the request; `nil` until then.
    var requestID: String?
    var work = Work.none
    /// The handler's decision if it changes the responses, until the response is sent; `nil` otherwise.
    var changes: RequestDisposition?
    var content: [UInt8] = []
    /// The part of the server's budget that the content takes until the handler has responded, in bytes.
    var heldBytes = 0
    /// The part of the server's budget that the response takes, in bytes.
    var responseBytes = 0
    var contentSource: RequestBodySource?
    var response: ServerResponse?
    var streamedResponse: StreamedResponse?
    /// The task of the handler, or the task that produces a part of the response.
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
        report = ExchangeReport(begin: SystemClock.monotonicNanoseconds())
        counters = loop.counters
        counters.exchanges.wrappingAdd(1, ordering: .relaxed)
        counters.requests.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        counters.exchangeEnded()
    }
}

extension Exchange {
    /// True if only the end of the connection ends the response: a stream without a length, for a client of HTTP/1.0.
    var endsWithConnection: Bool {
        isHTTP10 && streamedResponse.map { $0.source.length == nil } ?? false
    }

    /// Returns a response of the handler, changed as the handler has decided.
    func changing(_ response: ServerResponse, isObserved: Bool = true) -> ServerResponse {
        guard let changes else { return response }
        var response = response
        changes.applyChanges(to: &response, isObserved: isObserved)
        return response
    }

    /// Returns a refusal of the server, changed as the handler has decided.
    ///
    /// A handler that reads the content as it arrives makes a response of its own, and that one is observed.
    func changing(refusal: ServerResponse) -> ServerResponse {
        changing(refusal, isObserved: contentSource == nil)
    }

    /// Returns a problem with the request's identifier, and with its path as its instance if the target can be parsed.
    func locating(_ problem: ProblemDetails) -> ProblemDetails {
        var problem = problem
        problem.requestID = problem.requestID ?? requestID
        if problem.instance == nil, let target {
            do throws(RequestTargetError) {
                problem.instance = try RequestTarget(target).path
            } catch {
                // An illegal target has no path to name.
            }
        }
        return problem
    }
}
