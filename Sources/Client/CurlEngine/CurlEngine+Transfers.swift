import CErrandCurl
import ErrandTransfer

// MARK: Transfers

extension CurlEngine {
    func start(_ transfer: CurlTransfer) {
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

    func perform(_ action: TransferMachine.Action, on transfer: CurlTransfer) {
        switch action {
        case .none:
            break
        case .attach:
            attach(transfer)
        case .detach:
            pool(of: transfer.pool)?.detach(transfer)
            transfer.didDetach()
        case .pause(let directions):
            pause(directions, of: transfer)
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

    /// Pauses directions of a transfer and resumes the others.
    func pause(_ directions: TransferDirections, of transfer: CurlTransfer) {
        guard let pool = pool(of: transfer.pool), let easy = transfer.easy else { return }
        touch(pool)
        let code = easy.pause(directions)
        guard code != CURLE_OK else { return }
        // If libcurl refuses again, it has no connection for the transfer. Either it will send the request again over
        // the next one, and ``CurlTransfer/willSend()`` pauses the transfer then; or it is done, and `finishDone` reads
        // the result. Otherwise what it held back while the transfer was paused is invalid, such as a trailer.
        if code == CURLE_BAD_FUNCTION_ARGUMENT, easy.pause(directions) == code { return }
        finish(transfer, code)
    }

    /// Detaches a transfer in any state and records its outcome for its owner.
    func finish(_ transfer: CurlTransfer, _ result: CURLcode) {
        guard isRunning(transfer) else { return }
        transfers[transfer.slot] = nil
        freeSlots.append(transfer.slot)
        state.transferDeadlines.set(nil, for: transfer.slot)
        if !state.unnoticedEnds.isEmpty { state.unnoticedEnds.removeAll { $0 === transfer } }
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

    /// Lets the transfers that waited for the connection of `failed` make their own connections.
    ///
    /// libcurl would let one try while the others wait for that one, and so on. With a host that does not respond, the
    /// last transfer would fail only after as many connect timeouts as there are transfers.
    private func reattachWaiting(for failed: CurlTransfer) {
        let waiting = transfers.compactMap(\.self).filter { transfer in
            transfer.pool == failed.pool && !transfer.hasHadConnection && transfer.easy?.waitsForConnection == true
                && transfer.request.url.origin == failed.request.url.origin
        }
        for transfer in waiting { reattach(transfer) }
    }

    /// Lets libcurl begin anew with a transfer that has sent nothing, without waiting for a connection of another one.
    func reattach(_ transfer: CurlTransfer) {
        transfer.mayWaitForConnection = false
        pool(of: transfer.pool)?.detach(transfer)
        attach(transfer)
    }
}
