import CErrandMicroHTTPD
import ErrandEventLoop
import ErrandHTTPServer
import ErrandLocking
import ErrandLogs
import ErrandTime
import Glibc
import Logging
import Synchronization

/// The driver of libmicrohttpd on the thread of an event loop: descriptors, messages of other threads, and deadlines.
///
/// libmicrohttpd's own thread is not used: it stalls when exactly 128 connections are ready at once, and it can forget
/// a connection that is resumed while it runs.
///
/// `@unchecked Sendable`: the constants apart from the acceptor are Sendable. The acceptor and the variables are
/// accessed only by the loop's thread, and by the starting thread before the loop runs.
final class ServerLoop: EventLoopClient, @unchecked Sendable {
    let configuration: ServerConfiguration
    let handler: any HTTPHandler
    let logger: Logger
    let events: EventLoop
    let mailbox: Mailbox<ServerMessage>
    let counters: ServerCounters

    private let clockLimits: ConnectionClock.Limits
    private let acceptor: Acceptor
    private(set) var listeners: [Listener] = []
    /// Limits the warnings about responses that were cut off for lack of memory.
    var cutWarnings = LogThrottle()
    /// The TLS credentials of new connections to the TCP listeners, if these use TLS.
    private(set) var credentials: TLSCredentials?
    private(set) var connections: [Int32: ServerConnection] = [:]
    /// The numbers of connections of the client addresses.
    private(set) var connectionsPerAddress: ConnectionsPerAddress
    /// The connections whose TLS handshake libmicrohttpd processes in this turn.
    private var handshakes: [ServerConnection] = []
    /// The connections that may be over and are checked in this turn.
    private var departing: [ServerConnection] = []
    private var lingering: LingeringClose
    private var reads: ConnectionReads?
    private var mail: [ServerMessage] = []
    private var starts: [Start] = []
    /// The budget of request contents that are collected in memory.
    var contents: ByteBudget
    /// The budget of responses that clients have not yet taken.
    var responses: ByteBudget
    private var nextCheck: Milliseconds = .max
    private var phase = Phase.serving
    private var hasBegun = false
    private var onStop: [StopAction] = []
    /// The freed bytes that the allocator may still keep.
    private var freedBytes = 0
    private var clock = LoopClock()
    /// The time of the current turn, without the time in which the process stood still.
    private(set) var now: Milliseconds = 0

    /// The work of an exchange that starts at the end of this turn.
    private struct Start {
        let exchange: Exchange
        let work: @Sendable () async -> ServerMessage
    }

    /// An action that runs when the loop has stopped.
    private struct StopAction {
        let perform: @Sendable () -> Void
    }

    private enum Phase: Equatable {
        case serving
        /// No new connections are accepted; those with a request may finish it until the deadline.
        case draining(deadline: Milliseconds)
        case stopped
    }

    init(
        configuration: ServerConfiguration, handler: any HTTPHandler, logger: Logger, events: EventLoop,
        onExhaustion: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        counters = ServerCounters(onEnd: onEnd)
        self.configuration = configuration
        self.handler = handler
        self.logger = logger
        self.events = events
        mailbox = Mailbox(loop: events)
        clockLimits = ConnectionClock.Limits(configuration.timeouts)
        lingering = LingeringClose(loop: events, longest: configuration.timeouts.lingering.milliseconds)
        acceptor = Acceptor(logger: logger, onExhaustion: onExhaustion)
        connectionsPerAddress = ConnectionsPerAddress(limit: configuration.limits.maxConnectionsPerAddress)
        contents = ByteBudget(limitBytes: configuration.limits.maxBufferedBytes)
        responses = ByteBudget(limitBytes: configuration.limits.maxPendingResponseBytes)
    }

    /// Adds a listener; call it before the loop starts.
    func listen(on address: ListenAddress) throws(MicroHTTPServerError) -> ListenAddress {
        let socket = try ListenSocket(
            address, sendIdleMilliseconds: Int32(clamping: configuration.timeouts.sendIdle.milliseconds))
        let bound = socket.bound(address)
        // Only TCP listeners use them, but a mistake must not wait for the first of these.
        if credentials == nil, let tls = configuration.tls { credentials = try TLSCredentials(tls) }
        // The callbacks stop with the daemon, which this object owns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let daemon = try MicroDaemon(
            address: address, limits: configuration.limits, usesTLS: address.isTCP && credentials != nil,
            context: context)
        listeners.append(Listener(socket: socket, daemon: daemon))
        return bound
    }

    /// Undoes ``listen(on:)`` if the loop does not start.
    func abandon() {
        for listener in listeners {
            listener.close(events)
            listener.daemon.stop()
        }
        listeners = []
    }

    /// True if connections close after their responses.
    var isDraining: Bool { phase != .serving }

    // MARK: EventLoopClient

    func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
        now = clock.time(at: Self.monotonicNow(), check: nextCheck, interval: clockLimits.interval)
        counters.turns.wrappingAdd(1, ordering: .relaxed)
        if !hasBegun { begin() }
        readMail()
        for index in ready.indices {
            noteReady(ready[index])
        }
        acceptor.accept(for: self)
        for listener in listeners {
            listener.daemon.run()
        }
        parkHandshakes()
        // What has arrived is read before time limits are checked: the process may have stood still meanwhile.
        if now >= nextCheck { checkDeadlines() }
        startTasks()
        closeDeparting()
        acceptor.watchListeners(of: self)
        advanceStop()
        return allowedWait()
    }

    func loopWillEnd() {
        readMail()
        stopNow()
        reads?.stop()
        reads = nil
    }

    private func begin() {
        hasBegun = true
        reads = ConnectionReads(of: self)
        for listener in listeners where !events.watch(listener.daemon.epollDescriptor, for: .readable) {
            logger.critical("Cannot watch the connections", metadata: ["errno": .stringConvertible(errno)])
        }
    }

    private func allowedWait() -> Int32 {
        if listeners.contains(where: \.daemon.hasMore) { return 0 }
        var wake = nextCheck
        if case .draining(let deadline) = phase { wake = min(wake, deadline) }
        if let acceptsAgain = acceptor.acceptsAgain { wake = min(wake, acceptsAgain) }
        guard wake != .max else { return -1 }
        return Int32(clamping: max(0, wake - now))
    }

    static func monotonicNow() -> Milliseconds { SystemClock.monotonicNanoseconds() / 1_000_000 }

    // MARK: Messages

    private func readMail() {
        mailbox.take(into: &mail)
        for message in mail {
            switch message {
            case .response(let exchange, let response): responseArrived(response, for: exchange)
            case .part(let exchange, let part): partArrived(part, for: exchange)
            case .demand(let exchange): contentWanted(by: exchange)
            case .credentials(let credentials, let done):
                self.credentials = credentials
                done()
            case .stop(let milliseconds, let done):
                onStop.append(StopAction(perform: done))
                stopListening(deadline: now + milliseconds)
            }
        }
        mail.removeAll(keepingCapacity: true)
    }

    // MARK: Tasks

    /// Starts a task for an exchange at the end of this turn.
    ///
    /// All tasks of a turn start together, because each one that finds its thread pool asleep costs a system call to
    /// wake it.
    func startSoon(_ exchange: Exchange, _ work: @escaping @Sendable () async -> ServerMessage) {
        starts.append(Start(exchange: exchange, work: work))
    }

    private func startTasks() {
        guard !starts.isEmpty else { return }
        for start in starts {
            let (exchange, work) = (start.exchange, start.work)
            guard !exchange.machine.isOver, !exchange.machine.isAborted else {
                releaseContent(of: exchange)
                continue
            }
            let task = Task { [mailbox] in
                _ = mailbox.post(await work())
            }
            exchange.task = task
            if exchange.connection.peerLeft, !exchange.machine.isReceiving {
                task.cancel()
            }
        }
        starts.removeAll(keepingCapacity: true)
    }

    // MARK: Connections

    /// Returns the connection of a descriptor.
    func connection(of descriptor: Int32) -> ServerConnection? {
        connections[descriptor]
    }

    /// Creates the connection of a handle.
    func connectionBegan(_ handle: OpaquePointer) -> ServerConnection {
        let connection = ServerConnection(handle: handle, loop: self, now: now)
        connections[connection.descriptor] = connection
        connectionsPerAddress.connectionBegan(from: connection.remoteAddress)
        watch(connection)
        if connection.isShakingHands {
            handshakes.append(connection)
        }
        counters.connections.wrappingAdd(1, ordering: .relaxed)
        scheduleCheck()
        return connection
    }

    /// Registers the connection once for all its requests, edge-triggered.
    ///
    /// This avoids a system call for each suspension, during which libmicrohttpd does not check whether the peer
    /// disconnects.
    private func watch(_ connection: ServerConnection) {
        let changes: Readiness = connection.isShakingHands ? [.readable, .writable, .peerClosed] : .peerClosed
        if !events.watch(connection.descriptor, for: changes.union(.edge)) {
            logger.error("Cannot watch a connection", metadata: ["errno": .stringConvertible(errno)])
        }
    }

    /// Suspends the connections whose handshake waits for the client, after libmicrohttpd has run.
    ///
    /// libmicrohttpd does not record that a handshake has consumed all input, and retries in each turn, without a
    /// pause: a client that sends the first byte of a handshake would keep the thread busy.
    private func parkHandshakes() {
        guard !handshakes.isEmpty else { return }
        for connection in handshakes where !connection.parkHandshake() && !connection.isClosed {
            watch(connection)
        }
        handshakes.removeAll(keepingCapacity: true)
    }

    /// Removes a connection; libmicrohttpd closes the socket right after this call.
    func connectionEnds(_ connection: ServerConnection) {
        events.unwatch(connection.descriptor)
        connections[connection.descriptor] = nil
        connectionsPerAddress.connectionEnded(from: connection.remoteAddress)
        connection.ended()
        counters.connectionEnded()
    }

    private func noteReady(_ ready: ReadyDescriptor) {
        if let connection = connections[ready.descriptor] {
            if connection.isShakingHands {
                connection.unpark()
                handshakes.append(connection)
            }
            guard !ready.readiness.isDisjoint(with: [.peerClosed, .hangUp, .failed]) else { return }
            connection.peerLeft = true
            reconsider(connection)
            if let exchange = connection.exchange {
                peerLeft(exchange, isGone: !ready.readiness.isDisjoint(with: [.hangUp, .failed]))
            }
        } else if !lingering.drain(ready.descriptor) {
            // Other descriptors are those of a daemon, which runs in every turn, or of a listener.
            listeners.first { $0.descriptor == ready.descriptor }?.isReady = true
        }
    }

    /// Closes the connection after libmicrohttpd has run, if no further request can or may arrive on it.
    ///
    /// libmicrohttpd misses the end of a connection that arrives together with the last bytes, and would keep the
    /// connection until a deadline.
    func reconsider(_ connection: ServerConnection) {
        departing.append(connection)
    }

    private func closeDeparting() {
        guard !departing.isEmpty else { return }
        for connection in departing {
            if connection.isFinished {
                connection.release()
            } else if let problem = connection.problemToSend {
                refuse(connection, problem)
            } else if !connection.isDisconnected {
                endIfDeserted(connection)
            }
        }
        departing.removeAll(keepingCapacity: true)
    }

    /// Ends a connection on which nothing can follow: its peer has closed its sending side, or it is idle and the server
    /// stops.
    private func endIfDeserted(_ connection: ServerConnection) {
        if connection.isDeserted || isDraining && connection.isIdle {
            connection.disconnect()
        } else if connection.hasTruncatedContent, let exchange = connection.exchange {
            abort(exchange, reason: .clientLeft)
        }
    }

    func linger(_ connection: ServerConnection) {
        lingering.adopt(connection.descriptor, now: now)
        scheduleCheck()
    }

    // MARK: Deadlines

    private func scheduleCheck() {
        nextCheck = min(nextCheck, now + clockLimits.interval)
    }

    private func checkDeadlines() {
        lingering.closeExpired(at: now)
        for connection in connections.values where !connection.isDisconnected {
            switch connection.clock.verdict(now: now, limits: clockLimits) {
            case .fine: endIfDeserted(connection)
            case .close: connection.disconnect()
            case .tooSlow: refuseSlow(connection)
            }
        }
        giveMemoryBack()
        nextCheck = connections.isEmpty && lingering.isEmpty ? .max : now + clockLimits.interval
    }

    /// Counts freed bytes of large blocks.
    func freed(_ bytes: Int) {
        freedBytes += bytes
    }

    /// Returns freed memory to the system, which the allocator would otherwise keep after a burst of large contents.
    private func giveMemoryBack() {
        guard freedBytes >= Self.freedBytesToGiveBack else { return }
        freedBytes = 0
        ProcessMemory.giveBack()
    }

    private static let freedBytesToGiveBack = 32 * 1024 * 1024

    // MARK: The end

    /// Uses other TLS credentials for connections that are accepted from now on.
    ///
    /// Call it from any thread except the loop's.
    func use(_ credentials: TLSCredentials) async {
        await withContinuation { continuation in
            let isTaken = mailbox.post(.credentials(credentials, done: { continuation.resume() }))
            // The loop has ended.
            if !isTaken { continuation.resume() }
        }
    }

    /// Stops after at most `drain`, and ends the loop.
    ///
    /// Call it from any thread except the loop's.
    func stop(drain: Duration) async {
        await withContinuation { continuation in
            mailbox.post(.stop(after: drain.milliseconds, done: { continuation.resume() }))
        }
        await events.shutdown()
    }

    private func stopListening(deadline: Milliseconds) {
        guard phase != .stopped else { return }
        for listener in listeners {
            listener.close(events)
        }
        phase = .draining(deadline: deadline)
        for connection in connections.values where connection.exchange == nil {
            connection.disconnect()
        }
    }

    private func advanceStop() {
        guard case .draining(let deadline) = phase, connections.isEmpty || now >= deadline else { return }
        stopNow()
    }

    private func stopNow() {
        guard phase != .stopped else { return }
        phase = .stopped
        for connection in connections.values {
            if let exchange = connection.exchange { abort(exchange, reason: .serverStopping) }
            connection.disconnect()
        }
        for listener in listeners {
            listener.close(events)
            events.unwatch(listener.daemon.epollDescriptor)
            listener.daemon.stop()
        }
        listeners = []
        lingering.closeAll()
        for message in mailbox.close() { answer(unread: message) }
        for action in onStop { action.perform() }
        onStop = []
    }

    /// Resumes the sender of a message that was not read before the end.
    private func answer(unread message: ServerMessage) {
        switch message {
        case .credentials(_, let done), .stop(_, let done): done()
        case .response, .part, .demand: break
        }
    }

    func logLibrary(_ text: String) {
        logger.debug("libmicrohttpd message", metadata: ["text": "\(text)"])
    }
}
