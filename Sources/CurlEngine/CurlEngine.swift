import CCurl
package import EventLoop
import Synchronization
public import Transfer

/// libcurl on a thread of its own: runs the transfers of all sessions, thousands at a time.
///
/// The thread is the actor's executor, so that libcurl, which must not be entered by two threads, its callbacks and the
/// engine's state share one isolation. Sessions reach it through a queue of commands.
///
/// ```swift
/// let engine = try CurlEngine()
/// let session = engine.session(ConnectionOptions())
/// let outcome = await session.perform(TransferRequest(url: try HTTPURL("http://example.com/")), receiver: receiver)
/// await engine.shutdown()
/// ```
///
/// The thread lives until ``shutdown()``, which has to be called.
public actor CurlEngine {
    private let loop: EventLoop
    private let commands: CommandQueue
    private let nextSession = Atomic<Int>(0)

    private let state: LoopState
    /// The pools of open sessions, or why there is none.
    private var pools: [PoolID: Result<ConnectionPool, TransferError>] = [:]
    private var touchedPools: [ConnectionPool] = []
    /// The transfers that have begun and not ended, by slot.
    private var transfers: [CurlTransfer?] = []
    private var freeSlots: [Int] = []
    private var takenCommands: [Command] = []
    /// Transfers that have ended in this turn, and whose owners are told at its end, all together: one by one, each
    /// would wake a thread that has gone to sleep after the one before.
    private var finishedTransfers: [CurlTransfer] = []
    private var isEnding = false

    /// The engine's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts an engine.
    ///
    /// - Throws: ``TransferError`` when libcurl cannot be initialised, or the system has no thread or descriptor left.
    public init() throws(TransferError) {
        guard CurlGlobal.initialization == CURLE_OK else {
            throw TransferError(CurlGlobal.initialization, mayHaveArrived: false)
        }
        do {
            loop = try EventLoop(name: "curl")
            commands = CommandQueue(loop: loop)
            state = LoopState(loop: loop)
            try loop.start(self)
        } catch {
            throw TransferError(.transportError, "The transfer engine cannot be started: \(error)")
        }
    }

    /// Makes a session: a transport with connections of its own.
    public nonisolated func session(_ options: ConnectionOptions = ConnectionOptions()) -> CurlSession {
        let number = nextSession.add(1, ordering: .relaxed).oldValue
        return CurlSession(pool: PoolID(session: number), options: options, commands: commands)
    }

    /// Ends all transfers with `session_closed`, closes all connections and waits for the thread's end.
    ///
    /// Transfers that are started later end so at once.
    public nonisolated func shutdown() async {
        await loop.shutdown()
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
        state.readTime()
        performCommands()
        for descriptor in ready {
            socketIsReady(descriptor)
        }
        // What becomes due by this work waits for the next turn: sockets have theirs in between.
        let due = state.now
        while let number = state.poolDeadlines.popDue(at: due) {
            guard let pool = pool(of: PoolID(number: number)) else { continue }
            state.readTime()
            pool.timeIsDue()
            touch(pool)
        }
        finishDone()
        while let slot = state.transferDeadlines.popDue(at: state.now) {
            guard let transfer = transfers[slot] else { continue }
            perform(transfer.checkTime(), on: transfer)
        }
        finishEnding()
        deliverFinished()
        return timeToNextDeadline()
    }

    private func socketIsReady(_ descriptor: ReadyDescriptor) {
        guard let id = state.sockets.owner(of: descriptor.descriptor), let pool = pool(of: id) else { return }
        var events: Int32 = 0
        if descriptor.readiness.contains(.readable) || descriptor.readiness.contains(.hangUp) {
            events |= ccurl_SELECT_IN
        }
        if descriptor.readiness.contains(.writable) { events |= ccurl_SELECT_OUT }
        if descriptor.readiness.contains(.failed) { events |= ccurl_SELECT_ERROR }
        state.readTime()
        pool.socketIsReady(descriptor.descriptor, events)
        touch(pool)
    }

    /// Remembers to look for done transfers of a pool that libcurl has worked for.
    private func touch(_ pool: ConnectionPool) {
        guard !pool.isTouched else { return }
        pool.isTouched = true
        touchedPools.append(pool)
    }

    private func finishDone() {
        while let pool = touchedPools.popLast() {
            pool.isTouched = false
            while let (transfer, result) = pool.nextDone() {
                finish(transfer, result)
            }
        }
    }

    private func finishEnding() {
        while let transfer = state.endingTransfers.popLast() {
            finish(transfer, CURLE_OK)
        }
    }

    private func deliverFinished() {
        for transfer in finishedTransfers {
            transfer.deliver()
        }
        finishedTransfers.removeAll(keepingCapacity: true)
    }

    /// How long the loop may wait, in milliseconds, rounded up: not to come back just too early.
    private func timeToNextDeadline() -> Int32 {
        guard touchedPools.isEmpty else { return 0 }
        let next = DeadlineQueue.earlier(state.poolDeadlines.earliest, state.transferDeadlines.earliest)
        guard let next else { return -1 }
        guard next > state.now else { return 0 }
        let nanoseconds = max(0, next.nanoseconds - MonotonicInstant.now.nanoseconds)
        return Int32(clamping: min(nanoseconds / 1_000_000 + 1, 60_000))
    }

    private func end() {
        state.readTime()
        isEnding = true
        let late = commands.close()
        for id in Array(pools.keys) {
            close(id)
        }
        touchedPools.removeAll()
        deliverFinished()
        // All sessions are closed: what starts now is refused.
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
            open(id, options, counters)
        case .close(let id, let done):
            close(id)
            done?.resume()
        case .retire(let id):
            for id in [id, id.ofProbes] { pool(of: id)?.retire() }
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

    private func open(_ id: PoolID, _ options: ConnectionOptions, _ counters: SessionCounters) {
        guard !isEnding else { return }
        do {
            pools[id] = .success(try ConnectionPool(options, id: id, counters: counters, state: state))
        } catch {
            pools[id] = .failure(TransferError(error.code, mayHaveArrived: false))
        }
    }

    /// Makes the pool for a session's probes, unless it is there or the session is not: most never need one.
    private func openForProbes(of session: PoolID) {
        guard pools[session.ofProbes] == nil else { return }
        switch pools[session] {
        case .success(let pool): open(session.ofProbes, pool.connectionOptions, pool.counters)
        case .failure(let error): pools[session.ofProbes] = .failure(error)
        case nil: break
        }
    }

    /// Ends all of a session.
    private func close(_ session: PoolID) {
        for case let transfer? in transfers where transfer.pool == session || transfer.pool == session.ofProbes {
            _ = transfer.decide { machine, _ in machine.cancel(.sessionClosed) }
            finish(transfer, CURLE_OK)
        }
        for id in [session, session.ofProbes] {
            pools[id] = nil
            state.poolDeadlines.set(nil, for: id.number)
        }
    }

    private func pool(of id: PoolID) -> ConnectionPool? {
        if case .success(let pool) = pools[id] { pool } else { nil }
    }
}

// MARK: - Transfers

extension CurlEngine {
    private func start(_ transfer: CurlTransfer) {
        switch pools[transfer.pool] {
        case .success(let pool):
            pool.didStart(transfer)
            let slot = freeSlots.popLast() ?? transfers.count
            if slot == transfers.count {
                transfers.append(transfer)
            } else {
                transfers[slot] = transfer
            }
            perform(transfer.begin(in: state, slot: slot), on: transfer)
        case .failure(let error):
            transfer.refuse(error)
        case nil:
            transfer.refuse(.sessionClosed)
        }
    }

    private func perform(_ action: TransferMachine.Action, on transfer: CurlTransfer) {
        switch action {
        case .none:
            break
        case .attach:
            attach(transfer)
        case .detach:
            pool(of: transfer.pool)?.detach(transfer)
            transfer.didDetach()
        case .hold(let directions):
            hold(directions, of: transfer)
        case .end:
            finish(transfer, CURLE_OK)
        }
        transfer.armDeadline()
    }

    private func attach(_ transfer: CurlTransfer) {
        if let refusal = pool(of: transfer.pool)?.refusal(of: transfer.request) {
            _ = transfer.decide { machine, _ in machine.cancel(refusal) }
            return finish(transfer, CURLE_OK)
        }
        transfer.willAttach()
        do {
            try pool(of: transfer.pool)?.attach(transfer)
        } catch {
            finish(transfer, error.code)
        }
    }

    private func hold(_ directions: TransferDirections, of transfer: CurlTransfer) {
        guard let pool = pool(of: transfer.pool), let easy = transfer.easy else { return }
        let code = easy.hold(directions)
        touch(pool)
        if code != CURLE_OK { finish(transfer, code) }
    }

    /// Takes a transfer back, whatever it was doing, and tells its owner how it ended.
    private func finish(_ transfer: CurlTransfer, _ result: CURLcode) {
        guard transfers.indices.contains(transfer.slot), transfers[transfer.slot] === transfer else { return }
        transfers[transfer.slot] = nil
        freeSlots.append(transfer.slot)
        state.transferDeadlines.set(nil, for: transfer.slot)
        let metrics = transfer.metrics
        let error = transfer.error(of: result)
        let wasAwaited =
            result != CURLE_OK && !transfer.hasHadConnection && transfer.easy?.waitsForConnection == true
        if let pool = pool(of: transfer.pool) {
            pool.detach(transfer)
            pool.didEnd(transfer, reused: metrics.connectionReused)
        }
        transfer.finish(error, metrics: metrics)
        finishedTransfers.append(transfer)
        if wasAwaited { reattachWaiting(for: transfer) }
    }

    /// Has transfers make connections of their own that have waited for the one of `failed`, which there will not be.
    ///
    /// libcurl would let the next one try while the others wait for that, and so on: with a host that does not answer,
    /// the last would be told after as many limits of time to connect as there are transfers.
    private func reattachWaiting(for failed: CurlTransfer) {
        let waiting = transfers.compactMap(\.self).filter { transfer in
            transfer.pool == failed.pool && !transfer.hasHadConnection && transfer.easy?.waitsForConnection == true
                && transfer.request.url.origin == failed.request.url.origin
        }
        for transfer in waiting {
            transfer.mayWaitForConnection = false
            pool(of: transfer.pool)?.detach(transfer)
            attach(transfer)
        }
    }
}
