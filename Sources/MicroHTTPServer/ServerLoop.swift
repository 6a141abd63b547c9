import CMicroHTTPD
import EventLoop
import Glibc
import HTTPServer
import Logging
import Synchronization

/// Drives libmicrohttpd on the thread of an event loop: its descriptors, the mail of other threads, and the deadlines.
///
/// libmicrohttpd's own thread is not used: it stalls when exactly 128 connections are ready at once, and a connection
/// that is resumed while it runs can be forgotten.
///
/// `@unchecked Sendable`: the constants are Sendable, and the variables are touched by the loop's thread alone; by the
/// starting one before that.
final class ServerLoop: EventLoopClient, @unchecked Sendable {
    let configuration: ServerConfiguration
    let handler: any HTTPHandler
    let logger: Logger
    let events: EventLoop
    let mailbox: Mailbox
    let counters = ServerCounters()

    private let clockLimits: ConnectionClock.Limits
    private var daemons: [MicroDaemon] = []
    /// Those of the TCP listeners, when they speak TLS.
    private var credentials: TLSCredentials?
    private var connections: [Int32: ServerConnection] = [:]
    /// Connections on whose TLS handshake libmicrohttpd works in this turn.
    private var handshakes: [ServerConnection] = []
    /// Connections that may be over, to be looked at in this turn.
    private var departing: [ServerConnection] = []
    private var lingering: LingeringClose
    private var mail: [Mailbox.Message] = []
    private var starts: [(exchange: Exchange, work: @Sendable () async -> Mailbox.Message)] = []
    /// A connection has ended in this turn: a daemon that was at its limit accepts again when it runs again.
    private var hasRoom = false
    private var nextSweep: Milliseconds = .max
    private var phase = Phase.serving
    private var hasBegun = false
    private var onStop: [@Sendable () -> Void] = []
    /// The time of this turn.
    private(set) var now: Milliseconds = 0

    private enum Phase: Equatable {
        case serving
        /// No new connections; those with a request may finish it until the deadline.
        case draining(deadline: Milliseconds)
        case stopped
    }

    init(configuration: ServerConfiguration, handler: any HTTPHandler, logger: Logger, events: EventLoop) {
        self.configuration = configuration
        self.handler = handler
        self.logger = logger
        self.events = events
        mailbox = Mailbox(loop: events)
        clockLimits = ConnectionClock.Limits(configuration.timeouts)
        lingering = LingeringClose(loop: events)
    }

    /// Adds a listener, before the loop starts.
    func listen(on address: ListenAddress) throws(MicroHTTPServerError) -> ListenAddress {
        let socket = try ListenSocket(
            address, sendIdleMilliseconds: Int32(clamping: configuration.timeouts.sendIdle.milliseconds))
        let bound = socket.bound(address)
        if credentials == nil, address.isTCP, let tls = configuration.tls {
            credentials = try TLSCredentials(tls)
        }
        // The callbacks stop with the daemon, which this object owns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemons.append(
            try MicroDaemon(
                socket: socket, address: address, limits: configuration.limits,
                credentials: address.isTCP ? credentials : nil, context: context))
        return bound
    }

    /// Takes back what ``listen(on:)`` did, when the loop does not start.
    func abandon() {
        for daemon in daemons {
            daemon.stop()
        }
        daemons = []
    }

    /// Whether answers should end their connections.
    var isDraining: Bool { phase != .serving }

    // MARK: EventLoopClient

    func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
        now = Self.monotonicNow()
        hasRoom = false
        counters.turns.wrappingAdd(1, ordering: .relaxed)
        if !hasBegun { begin() }
        readMail()
        for index in ready.indices {
            noteReady(ready[index])
        }
        if now >= nextSweep { sweep() }
        for daemon in daemons {
            daemon.run()
        }
        parkHandshakes()
        startTasks()
        closeDeparting()
        advanceStop()
        return allowedWait()
    }

    func loopWillEnd() {
        readMail()
        stopNow()
    }

    private func begin() {
        hasBegun = true
        // Writing to a connection that the peer has closed is an error like others, not a reason to die.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        for daemon in daemons where !events.watch(daemon.epollDescriptor, for: .readable) {
            logger.critical("cannot watch a listener", metadata: ["errno": "\(errno)"])
        }
    }

    private func allowedWait() -> Int32 {
        if hasRoom || daemons.contains(where: \.hasMore) { return 0 }
        guard mailbox.readerMayWait() else { return 0 }
        var wake = nextSweep
        if case .draining(let deadline) = phase { wake = min(wake, deadline) }
        guard wake != .max else { return -1 }
        return Int32(clamping: max(0, wake - now))
    }

    static func monotonicNow() -> Milliseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Milliseconds(time.tv_sec) * 1000 + Milliseconds(time.tv_nsec) / 1_000_000
    }

    // MARK: Mail

    private func readMail() {
        mailbox.take(into: &mail)
        for message in mail {
            switch message {
            case .answer(let exchange, let answer): answerArrived(answer, for: exchange)
            case .part(let exchange, let part): partArrived(part, for: exchange)
            case .demand(let exchange): contentWanted(by: exchange)
            case .stop(let milliseconds, let done):
                onStop.append(done)
                stopListening(deadline: now + milliseconds)
            }
        }
        mail.removeAll(keepingCapacity: true)
    }

    // MARK: Tasks

    /// Starts a task for an exchange at the end of this turn.
    ///
    /// All tasks of a turn are started together: each one that finds its pool asleep costs a system call to wake it.
    func startSoon(_ exchange: Exchange, _ work: @escaping @Sendable () async -> Mailbox.Message) {
        starts.append((exchange, work))
    }

    private func startTasks() {
        guard !starts.isEmpty else { return }
        for (exchange, work) in starts where !exchange.machine.isOver && !exchange.machine.isAborted {
            let task = Task { [mailbox] in
                mailbox.post(await work())
            }
            exchange.task = task
            if exchange.connection.peerLeft, !exchange.machine.isReceiving {
                task.cancel()
            }
        }
        starts.removeAll(keepingCapacity: true)
    }

    // MARK: Connections

    func connectionBegan(_ handle: OpaquePointer) -> ServerConnection {
        let connection = ServerConnection(handle: handle, now: now)
        connections[connection.descriptor] = connection
        watch(connection)
        if connection.isShakingHands {
            handshakes.append(connection)
        }
        counters.connections.wrappingAdd(1, ordering: .relaxed)
        scheduleSweep()
        return connection
    }

    /// Registered once for all requests of the connection, and reported on change only: no system call for each
    /// suspension, in which libmicrohttpd does not look whether the peer leaves.
    private func watch(_ connection: ServerConnection) {
        let changes: Readiness = connection.isShakingHands ? [.readable, .writable, .peerClosed] : .peerClosed
        if !events.watch(connection.descriptor, for: changes.union(.edge)) {
            logger.error("cannot watch a connection", metadata: ["errno": "\(errno)"])
        }
    }

    /// Suspends the connections whose handshake waits for the client, after libmicrohttpd has run.
    ///
    /// libmicrohttpd forgets that a handshake has taken all that had come, and tries again in each turn, without a
    /// pause: a client that sends the first byte of one would occupy the thread.
    private func parkHandshakes() {
        guard !handshakes.isEmpty else { return }
        for connection in handshakes where !connection.parkHandshake() && !connection.isClosed {
            watch(connection)
        }
        handshakes.removeAll(keepingCapacity: true)
    }

    /// libmicrohttpd closes the socket right after this.
    func connectionEnds(_ connection: ServerConnection) {
        events.unwatch(connection.descriptor)
        connections[connection.descriptor] = nil
        connection.ended()
        hasRoom = true
        counters.connections.wrappingSubtract(1, ordering: .relaxed)
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
        } else {
            // Not one that lingers either: a daemon's, which runs in every turn.
            _ = lingering.drain(ready.descriptor)
        }
    }

    /// Closes the connection after libmicrohttpd has run, if nothing more can or shall come on it.
    ///
    /// libmicrohttpd overlooks the end of a connection that arrives together with the last bytes, and would keep it
    /// until a deadline.
    func reconsider(_ connection: ServerConnection) {
        departing.append(connection)
    }

    private func closeDeparting() {
        guard !departing.isEmpty else { return }
        for connection in departing where connection.isDeserted || isDraining && connection.isIdle {
            connection.disconnect()
        }
        departing.removeAll(keepingCapacity: true)
    }

    func linger(_ connection: ServerConnection) {
        lingering.adopt(connection.descriptor, now: now)
        scheduleSweep()
    }

    // MARK: Deadlines

    private func scheduleSweep() {
        nextSweep = min(nextSweep, now + clockLimits.interval)
    }

    private func sweep() {
        lingering.sweep(now: now)
        for connection in connections.values where !connection.isDisconnected {
            switch connection.clock.verdict(now: now, limits: clockLimits) {
            case .fine: if connection.isDeserted { connection.disconnect() }
            case .close: connection.disconnect()
            case .tooSlow: refuseSlow(connection)
            }
        }
        nextSweep = connections.isEmpty && lingering.isEmpty ? .max : now + clockLimits.interval
    }

    // MARK: The end

    /// Stops after at most `drain`, and ends the loop.
    ///
    /// Any thread but the loop's.
    func stop(drain: Duration) async {
        await withCheckedContinuation { continuation in
            mailbox.post(.stop(after: drain.milliseconds, done: { continuation.resume() }))
        }
        await events.shutdown()
    }

    private func stopListening(deadline: Milliseconds) {
        guard phase != .stopped else { return }
        for daemon in daemons where phase == .serving {
            daemon.stopListening()
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
        for daemon in daemons {
            events.unwatch(daemon.epollDescriptor)
            daemon.stop()
        }
        daemons = []
        lingering.closeAll()
        mailbox.close()
        for action in onStop { action() }
        onStop = []
    }

    func logLibrary(_ text: String) {
        logger.debug("libmicrohttpd", metadata: ["message": "\(text)"])
    }
}
