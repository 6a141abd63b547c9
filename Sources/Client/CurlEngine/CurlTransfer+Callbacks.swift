import CErrandCurl
import ErrandCompression
import ErrandTransfer
import HTTPTypes
import Synchronization

// MARK: Callbacks of libcurl

extension CurlTransfer {
    /// The result of a callback for response content.
    enum ReceiveAnswer {
        case taken
        case held
        case refused
    }

    /// The result of a callback for request content.
    enum SendAnswer {
        case provided(Int)
        case held
        case failed
    }

    /// The most decoded bytes of one piece that are delivered before other transfers get their turn.
    private static let maxDecodedBytes = 262_144

    /// Decides, on an established connection, whether the request may be sent.
    ///
    /// - Returns: True if the request may be sent.
    func willSend() -> Bool {
        attempt.hasUnseenLookup = false
        // A probe sends no request, so nothing may have arrived.
        if isProbe { return true }
        guard let state else { return false }
        // The work that led here may have begun long before, because many transfers start in one call of libcurl.
        state.readTime()
        let sockets = attempt.sockets
        if let events = easy?.events { settleSockets(in: events) }
        if let refusal = refusalBeforeResending {
            _ = machine.cancel(refusal)
            return false
        }
        let isResent = machine.wasSent
        let isRefused = isResent && wasNotProcessed(isResent: true)
        let objection = judgeConnection()
        guard machine.willSend(at: state.now, wasRefused: isRefused, objection: objection) else { return false }
        if isResent {
            // libcurl counts the content anew. It has the pauses since it began to make the connection, or none.
            lastUploaded = 0
            guard pauseInCallback(machine.pausedDirections) else { return false }
        }
        noteStream(opened: sockets)
        parser.reset()
        requestSentAt = nil
        if source == nil, let content = request.body.bytes {
            sent.store(Int64(content.count), ordering: .relaxed)
        }
        armDeadline()
        return true
    }

    /// Receives a line of a response head, or all lines that libcurl has held back while the transfer was paused.
    ///
    /// - Returns: True if the transfer continues.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) -> Bool {
        var rest = lines[...]
        repeat {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            guard receiveLine(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return false }
            rest = rest[end...]
        } while !rest.isEmpty
        return true
    }

    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let state, let receiver else { return false }
        state.watch.didProgress()
        switch parser.consume(line.bindMemory(to: UInt8.self).span) {
        case .more:
            machine.didReceiveBytes(at: state.now)
            return true
        case .failed(let error):
            return machine.didReceiveHead(.stop(arrived(error)), at: state.now)
        case .head(let head) where head.status == 407 && easy?.goesToProxy(request.url) == true:
            return machine.didReceiveHead(.stop(.proxyAuthenticationFailed), at: state.now)
        case .head(let head):
            attempt.handshake?.wasAnswered = true
            do {
                let length = try head.contentLength(toHEAD: request.method == .head)
                announced.store(announcedLength(of: head, length: length), ordering: .relaxed)
                announcedOnWire.store(length ?? -1, ordering: .relaxed)
            } catch {
                return machine.didReceiveHead(.stop(arrived(error)), at: state.now)
            }
            self.head = head
            if let refusal = framingRefusal(of: head) { return machine.didReceiveHead(.stop(refusal), at: state.now) }
            decoder = contentDecoder(for: head)
            decodedOfPiece = 0
            encoded.store(decoder == nil ? -1 : 0, ordering: .relaxed)
            // A paused transfer ends only when its content goes on.
            if head.endsSending, machine.pausedDirections.contains(.send) { resumeSending() }
            let decision = receiver.transferDidReceive(head)
            return machine.didReceiveHead(decision, at: state.now)
        }
    }

    /// Returns an error about the response, marked to say that the request has arrived.
    private func arrived(_ error: TransferError) -> TransferError {
        var error = error
        error.mayHaveArrived = true
        return error
    }

    /// Receives a piece of response content.
    func receiveContent(_ piece: UnsafeRawBufferPointer) -> ReceiveAnswer {
        let answer = take(piece)
        if answer == .held { holdUnwantedContent() }
        return answer
    }

    private func take(_ piece: UnsafeRawBufferPointer) -> ReceiveAnswer {
        guard let state, let receiver else { return .refused }
        // When libcurl goes on with a paused transfer, it offers all that it has kept in one call.
        guard machine.willDeliver(), !isYielding else { return .held }
        state.watch.didProgress()
        state.readTime()
        if let decoder {
            let answer = decode(piece, with: decoder, for: receiver, at: state.now)
            guard answer == .taken else { return answer }
            // Coded content may become no content at all.
            machine.didReceiveBytes(at: state.now)
            encoded.store(encoded.load(ordering: .relaxed) + Int64(piece.count), ordering: .relaxed)
        } else if !deliver(piece.bytes, to: receiver, at: state.now) {
            return .refused
        }
        if share.take(piece.count, in: state.turn) || state.isTurnSpent { yield(in: state) }
        return .taken
    }

    /// Pauses the transfer for the rest of this turn.
    ///
    /// Pauses both directions: libcurl would immediately read the connection again if one of them continued.
    private func yield(in state: LoopState) {
        guard pauseBoth(), !isYielding else { return }
        isYielding = true
        state.yieldingTransfers.append(self)
    }

    /// Pauses both directions within a callback.
    ///
    /// - Returns: False if libcurl refuses, which ends the transfer.
    func pauseBoth() -> Bool {
        pauseInCallback(.both)
    }

    /// Pauses directions and resumes the others within a callback.
    ///
    /// - Returns: False if libcurl refuses, which ends the transfer.
    private func pauseInCallback(_ directions: TransferDirections) -> Bool {
        guard let easy else { return false }
        let code = easy.pause(directions)
        if code != CURLE_OK {
            failOutsideCallback(TransferError(code, mayHaveArrived: machine.mayHaveArrived))
        }
        return code == CURLE_OK
    }

    private func deliver(_ bytes: RawSpan, to receiver: any TransferReceiver, at now: MonotonicInstant) -> Bool {
        received.store(received.load(ordering: .relaxed) + Int64(bytes.byteCount), ordering: .relaxed)
        return machine.didReceive(receiver.transferDidReceive(bytes), at: now)
    }

    /// Decodes a piece of content as far as the receiver takes it.
    ///
    /// libcurl offers a paused piece again from its beginning. A piece that decodes to many bytes is also paused, so
    /// that other transfers get their turn.
    private func decode(
        _ piece: UnsafeRawBufferPointer, with decoder: ContentDecoder, for receiver: any TransferReceiver,
        at now: MonotonicInstant
    ) -> ReceiveAnswer {
        var (taken, decoded) = (decodedOfPiece, 0)
        var answer = ReceiveAnswer.held
        do throws(ContentDecodingError) {
            let isDone = try decoder.decode(piece.bytes, taken: &taken) { bytes in
                guard deliver(bytes, to: receiver, at: now) else {
                    answer = .refused
                    return false
                }
                decoded += bytes.byteCount
                guard machine.willDeliver() else { return false }
                return decoded < Self.maxDecodedBytes || pauseDecoding(at: now)
            }
            if isDone {
                answer = .taken
            } else if answer == .held, machine.willDeliver() {
                // Enough was decoded between two codings.
                _ = pauseDecoding(at: now)
            }
        } catch {
            _ = machine.didReceive(.stop(undecodable(error)), at: now)
            answer = .refused
        }
        decodedOfPiece = answer == .held ? taken : 0
        return answer
    }

    /// Pauses until the next turn, so that other transfers get theirs.
    ///
    /// - Returns: True if the transfer may go on at once.
    private func pauseDecoding(at now: MonotonicInstant) -> Bool {
        _ = machine.didReceive(.pause, at: now)
        resumeReceiving()
        return machine.willDeliver()
    }

    func undecodable(_ error: ContentDecodingError) -> TransferError {
        TransferError(.badContentEncoding, error.description, mayHaveArrived: machine.mayHaveArrived)
    }

    /// Fills a buffer with request content.
    func provideContent(_ room: UnsafeMutableRawBufferPointer) -> SendAnswer {
        guard let state, let source else { return .failed }
        if let answer = answerToUnwantedContent { return answer }
        guard machine.mayRead else { return .held }
        let before = sent.load(ordering: .relaxed)
        let left = source.length.map { $0 - before } ?? .max
        guard left > 0 else { return contentIsSent(at: state.now) }
        let room = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(min(left, Int64(room.count)))))
        var span = OutputRawSpan(buffer: room, initializedCount: 0)
        var answer = source.read(into: &span)
        let count = span.finalize(for: room)
        if count > 0 {
            sent.store(before + Int64(count), ordering: .relaxed)
            answer = .bytes
        }
        switch answer {
        case .end where source.length != nil:
            answer = .failed(TransferError(.transportError, "The request content ended before its declared length"))
        case .bytes where count == 0:
            answer = .failed(TransferError(.transportError, "The source of the request content returned no bytes"))
        case .bytes, .pause, .end, .failed:
            break
        }
        guard machine.didSend(answer, at: state.now) else { return .failed }
        switch answer {
        case .bytes: return .provided(count)
        case .pause: return .held
        case .end:
            requestWillEnd()
            return contentIsSent(at: state.now)
        case .failed: return .failed
        }
    }

    private func contentIsSent(at now: MonotonicInstant) -> SendAnswer {
        requestSentAt = requestSentAt ?? now
        return .provided(0)
    }

    /// Rewinds the request content so that it can be sent again.
    ///
    /// libcurl calls this before ``willSend()`` if a connection has ended without a response, whatever the request.
    func rewindContent() -> Bool {
        guard let source else { return true }
        guard source.rewind() else {
            // With a response, it would be the server that wants the content again.
            if head == nil { machine.failResend(wasRefused: wasNotProcessed(isResent: true)) }
            return false
        }
        sent.store(0, ordering: .relaxed)
        return true
    }
}
