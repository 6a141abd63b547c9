import CErrandCurl
package import ErrandEventLoop
import ErrandLocking
public import ErrandTransfer
import Synchronization

/// Runs the transfers of all sessions, thousands at a time, with libcurl on a thread of its own.
///
/// libcurl must not be entered by two threads. The thread is therefore the actor's executor, so that libcurl, its
/// callbacks and the engine's state share one isolation. Sessions send their commands to it through a mailbox.
///
/// ```swift
/// let engine = try CurlEngine()
/// let session = engine.session(ConnectionOptions())
/// let outcome = await session.perform(TransferRequest(url: try HTTPURL("http://example.com/")), receiver: receiver)
/// await engine.shutdown()
/// ```
///
/// The thread runs until ``shutdown()``, which must be called.
public actor CurlEngine {
    private let loop: EventLoop
    private let commands: Mailbox<Command>
    private let nextSession = Atomic<Int>(0)

    let state: LoopState
    /// The pools of open sessions, or the error with which creating one failed.
    private(set) var pools: [PoolID: Result<ConnectionPool, TransferError>] = [:]
    private var touchedPools: [ConnectionPool] = []
    /// The running transfers, by slot.
    var transfers: [CurlTransfer?] = []
    var freeSlots: [Int] = []
    private var takenCommands: [Command] = []
    /// The transfers that have ended in this turn.
    ///
    /// Their owners are resumed together at its end: resuming them one by one would wake a sleeping thread each time.
    var finishedTransfers: [CurlTransfer] = []
    /// A ready socket that the previous turn did not get to.
    private var leftSocket: Int32?
    /// The number of consecutive turns in which deadlines were not checked because there was more to read.
    private var turnsWithoutJudgement = 0
    private static let maxTurnsWithoutJudgement = 32
    private var isEnding = false

    /// The engine's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts an engine.
    ///
    /// - Parameter maxIdleTime: The time for which the connections of an idle session are kept. The default is two minutes:
    ///   libcurl does not reuse older connections (118 s).
    /// - Throws: ``TransferError`` if libcurl cannot be initialised or the system has no thread or descriptor left.
    public init(maxIdleTime: Duration = .seconds(120)) throws(TransferError) {
        try self.init(maxIdleTime: maxIdleTime, lookups: AbandonedLookups())
    }

    /// Starts an engine that already has abandoned lookups, or other limits on their number.
    init(maxIdleTime: Duration, lookups: AbandonedLookups) throws(TransferError) {
        guard CurlGlobal.initialization == CURLE_OK else {
            throw TransferError(CurlGlobal.initialization, mayHaveArrived: false)
        }
        do {
            loop = try EventLoop(name: "curl")
            commands = Mailbox(loop: loop)
            let watch = FloodWatch()
            state = LoopState(loop: loop, watch: watch, maxIdleTime: maxIdleTime, lookups: lookups)
            try loop.start(self)
            watch.start()
        } catch {
            throw TransferError(.transportError, "The transfer engine could not be started: \(error)")
        }
    }

    /// Creates a session: a transport with its own connections.
    public nonisolated func session(_ options: ConnectionOptions = ConnectionOptions()) -> CurlSession {
        let number = nextSession.add(1, ordering: .relaxed).oldValue
        return CurlSession(pool: PoolID(session: number), options: options, commands: commands)
    }

    /// Ends all transfers with `session_closed`, closes all connections and waits for the thread to end.
    ///
    /// Transfers that are started later end immediately with the same error.
    public nonisolated func shutdown() async {
        await loop.shutdown()
    }

    /// Closes the idle connections of all sessions, for a process that is short of descriptors.
    ///
    /// A session with running transfers closes one idle connection at the end of each, and keeps none for ten seconds.
    /// Returns immediately; may be called on any thread. The engine does the same by itself when one of its connections
    /// or name lookups gets no descriptor.
    public nonisolated func closeIdleConnections() {
        // Refused only after shutdown, when no connection is open.
        commands.post(.closeIdleConnections)
    }
}

// MARK: - The loop

extension CurlEngine: EventLoopClient {
    package nonisolated func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
        let ready = copy ready
        return assumeIsolated { $0.turn(ready) }
    }

    package nonisolated func loopWillEnd() {
        assumeIsolated { $0.end() }
    }

    private func turn(_ ready: [ReadyDescriptor]) -> Int32 {
        state.beginTurn()
        let polledAt = state.now
        performCommands()
        resumeYielding()
        let isRead = read(ready)
        // Work that becomes due meanwhile is left for the next turn, so that sockets are read in between.
        let due = state.now
        while let id = state.poolDeadlines.popDue(at: due) {
            guard let pool = pool(of: id) else { continue }
            state.readTime()
            touch(pool)
            pool.timeIsDue()
        }
        readUnnoticedEnds()
        processInput()
        finishDone()
        judgeDeadlines(at: polledAt, isRead: isRead)
        finishEnding()
        relieveShortage()
        deliverFinished()
        closeIdlePools()
        return timeToNextDeadline()
    }

    /// Lets libcurl process the ready sockets until the turn has lasted long enough.
    ///
    /// The first socket that is left over is the first of the next turn.
    ///
    /// - Returns: True if no socket is left over and the system had no more to report.
    private func read(_ ready: [ReadyDescriptor]) -> Bool {
        let first = leftSocket.flatMap { left in ready.firstIndex { $0.descriptor == left } } ?? 0
        leftSocket = nil
        for number in ready.indices {
            let descriptor = ready[(first + number) % ready.count]
            state.readTime()
            if number > 0, state.isTurnSpent {
                leftSocket = descriptor.descriptor
                return false
            }
            socketIsReady(descriptor)
        }
        return ready.count < EventLoop.maxReadyDescriptors
    }

    /// Ends the transfers whose deadlines passed before the sockets were last read.
    ///
    /// Data that the peer sent in time counts, however late it is read: after a pause of the process, all deadlines may
    /// have passed while responses wait in the sockets. Deadlines are therefore checked after everything ready was
    /// read, unless the reading never ends.
    private func judgeDeadlines(at polledAt: MonotonicInstant, isRead: Bool) {
        turnsWithoutJudgement = isRead ? 0 : turnsWithoutJudgement + 1
        guard isRead || turnsWithoutJudgement > Self.maxTurnsWithoutJudgement else { return }
        turnsWithoutJudgement = 0
        while let slot = state.transferDeadlines.popDue(at: polledAt) {
            guard let transfer = transfers[slot] else { continue }
            perform(transfer.checkTime(at: polledAt), on: transfer)
        }
    }

    private func resumeYielding() {
        guard !state.yieldingTransfers.isEmpty else { return }
        let yielding = state.yieldingTransfers
        state.yieldingTransfers.removeAll(keepingCapacity: true)
        for transfer in yielding {
            transfer.isYielding = false
            guard isRunning(transfer) else { continue }
            state.readTime()
            pause(transfer.pausedDirections, of: transfer)
        }
    }

    func isRunning(_ transfer: CurlTransfer) -> Bool {
        transfers.indices.contains(transfer.slot) && transfers[transfer.slot] === transfer
    }

    private func closeIdlePools() {
        while let id = state.idleDeadlines.popDue(at: state.now) {
            pool(of: id)?.idleTimeIsOver()
        }
    }

    private func socketIsReady(_ descriptor: ReadyDescriptor) {
        guard let id = state.sockets.owner(of: descriptor.descriptor) else {
            return state.lookups.descriptorIsReady(descriptor.descriptor)
        }
        guard let pool = pool(of: id) else { return }
        var events: Int32 = 0
        if descriptor.readiness.contains(.readable) || descriptor.readiness.contains(.hangUp) {
            events |= ccurl_SELECT_IN
        }
        if descriptor.readiness.contains(.writable) { events |= ccurl_SELECT_OUT }
        if descriptor.readiness.contains(.failed) { events |= ccurl_SELECT_ERROR }
        touch(pool)
        pool.socketIsReady(descriptor.descriptor, events)
    }

    /// Marks a pool, before libcurl works for it, to be checked for completed transfers afterwards.
    func touch(_ pool: ConnectionPool) {
        guard !pool.isTouched else { return }
        pool.isTouched = true
        touchedPools.append(pool)
    }

    private func finishDone() {
        while let pool = touchedPools.popLast() {
            pool.isTouched = false
            while let (transfer, result) = pool.nextDone() {
                transfer.didGet(result)
                if result == CURLE_OK, let socket = transfer.socketToCheck { pool.readNow(socket) }
                if result == CURLE_UPLOAD_FAILED, transfer.prepareOwnConnection() {
                    reattach(transfer)
                } else {
                    finish(transfer, result)
                }
            }
        }
    }

    private func finishEnding() {
        while let transfer = state.endingTransfers.popLast() {
            finish(transfer, CURLE_OK)
        }
    }

    /// Closes the idle connections of all sessions if a connection or a name lookup has got no descriptor in this turn.
    ///
    /// libcurl must not be entered in the callback that notices it. The owners of the failed transfers are resumed
    /// later, so that an attempt that they make at once finds descriptors.
    private func relieveShortage() {
        guard state.isShortOfDescriptors else { return }
        state.isShortOfDescriptors = false
        closeIdleConnectionsOfPools()
    }

    private func closeIdleConnectionsOfPools() {
        for case .success(let pool) in pools.values { pool.closeIdleConnections() }
    }

    private func deliverFinished() {
        for transfer in finishedTransfers {
            transfer.deliver()
        }
        finishedTransfers.removeAll(keepingCapacity: true)
    }

    /// Returns the time until the next deadline in milliseconds, rounded up so that the loop does not wake too early.
    private func timeToNextDeadline() -> Int32 {
        guard touchedPools.isEmpty, state.yieldingTransfers.isEmpty, state.unprocessedInputs.isEmpty, leftSocket == nil
        else { return 0 }
        let next = DeadlineQueue.earlier(
            DeadlineQueue.earlier(state.poolDeadlines.earliest, state.transferDeadlines.earliest),
            state.idleDeadlines.earliest)
        guard let next else { return -1 }
        guard next > state.now else { return 0 }
        let nanoseconds = max(0, next.nanoseconds - MonotonicInstant.now.nanoseconds)
        return Int32(clamping: min(nanoseconds / 1_000_000 + 1, 60_000))
    }

    private func end() {
        state.readTime()
        state.watch.stop()
        isEnding = true
        let late = commands.close()
        for id in Array(pools.keys) {
            close(id)
        }
        touchedPools.removeAll()
        state.yieldingTransfers.removeAll()
        state.unnoticedEnds.removeAll()
        state.unprocessedInputs.removeAll()
        deliverFinished()
        // All sessions are closed, so these commands are refused.
        for command in late {
            perform(command)
        }
    }
}

// MARK: - Commands

extension CurlEngine {
    private func performCommands() {
        commands.take(into: &takenCommands)
        for command in takenCommands {
            perform(command)
        }
        takenCommands.removeAll(keepingCapacity: true)
    }

    private func perform(_ command: Command) {
        switch command {
        case .open(let id, let options, let counters):
            open(id, options: options, counters: counters)
        case .close(let id, let done):
            close(id)
            done?.resume()
        case .retire(let id):
            for id in [id, id.ofProbes] { pool(of: id)?.retire() }
        case .closeIdleConnections:
            closeIdleConnectionsOfPools()
        case .start(let transfer):
            start(transfer)
        case .probe(let transfer, let session):
            openForProbes(of: session)
            start(transfer)
        case .cancel(let transfer):
            perform(transfer.decide { machine, _ in machine.cancel() }, on: transfer)
        case .resumeReceiving(let transfer):
            perform(transfer.decide { $0.resumeReceiving(at: $1) }, on: transfer)
        case .resumeSending(let transfer):
            perform(transfer.decide { $0.resumeSending(at: $1) }, on: transfer)
        case .suspend(let transfer):
            perform(transfer.decide { $0.suspend(at: $1) }, on: transfer)
        case .resume(let transfer):
            perform(transfer.decide { $0.resume(at: $1) }, on: transfer)
        }
    }

    private func open(_ id: PoolID, options: ConnectionOptions, counters: SessionCounters) {
        guard !isEnding else { return }
        do {
            pools[id] = .success(try ConnectionPool(options, id: id, counters: counters, state: state))
        } catch {
            pools[id] = .failure(TransferError(error.code, mayHaveArrived: false))
        }
    }

    /// Creates the pool for a session's probes unless it exists or the session is closed; most sessions need none.
    private func openForProbes(of session: PoolID) {
        guard pools[session.ofProbes] == nil else { return }
        switch pools[session] {
        case .success(let pool):
            open(session.ofProbes, options: pool.connectionOptions, counters: pool.counters)
            if pool.isRetired { self.pool(of: session.ofProbes)?.retire() }
        case .failure(let error): pools[session.ofProbes] = .failure(error)
        case nil: break
        }
    }

    /// Ends the transfers and probes of a session and drops its pools.
    private func close(_ session: PoolID) {
        for case let transfer? in transfers where transfer.pool == session || transfer.pool == session.ofProbes {
            _ = transfer.decide { machine, _ in machine.cancel(.sessionClosed) }
            finish(transfer, CURLE_OK)
        }
        for id in [session, session.ofProbes] {
            // A pool that libcurl has worked for in this turn outlives its removal.
            pool(of: id)?.close()
            pools[id] = nil
            state.poolDeadlines.set(nil, for: id)
            state.idleDeadlines.set(nil, for: id)
        }
    }

    func pool(of id: PoolID) -> ConnectionPool? {
        if case .success(let pool) = pools[id] { pool } else { nil }
    }
}
