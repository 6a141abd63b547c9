import CErrandCurl
import ErrandTransfer

// MARK: Ends that libcurl does not notice

extension CurlEngine {
    /// Makes libcurl read for each transfer whose end it notices only when it next reads.
    ///
    /// - A peer may respond before it has the whole request (RFC 9113 §8.1). The last frame of the stream is then our
    ///   own.
    /// - If a peer violates HTTP/2, libnghttp2 terminates the connection with a frame of ours.
    ///
    /// libcurl 7.88 notices either only when it next reads for the transfer. Nothing more may arrive, so it would wait
    /// until a timeout. Pausing and resuming a transfer makes libcurl read for it.
    func readUnnoticedEnds() {
        var checked = 0
        // More may be added meanwhile, and none is removed.
        while checked < state.unnoticedEnds.count {
            let transfer = state.unnoticedEnds[checked]
            checked += 1
            guard transfer.canEnd, transfer.pausedDirections.isEmpty else { continue }
            // If libcurl has done nothing for the pool in this turn, nothing has been sent.
            guard let pool = pool(of: transfer.pool), pool.isTouched else { continue }
            state.readTime()
            // The connection is read for the first transfer that is due, so that no other may be due before this one.
            pool.timeIsDue()
            // Pausing fails if libcurl has completed the transfer.
            guard !transfer.isYielding, transfer.easy?.pause(.send) == CURLE_OK else { continue }
            pause([], of: transfer)
            pool.timeIsDue()
        }
    }
}

extension CurlTransfer {
    /// Records that the last frame of the response has arrived.
    ///
    /// - Parameter isEarly: True if the last frame of the request has not been sent.
    func didReceiveEnd(isEarly: Bool) {
        stream?.hasResponse = true
        if isEarly { state?.unnoticedEnds.append(self) }
    }

    /// Records that libnghttp2 has terminated the connection, because the peer violated HTTP/2.
    func connectionWasTerminated() {
        stream?.wasTerminated = true
        state?.unnoticedEnds.append(self)
    }

    /// Records that the peer has reset the stream with `NO_ERROR`.
    ///
    /// - Returns: True if the whole response has arrived.
    func streamWasReset() -> Bool {
        stream?.wasReset = true
        guard isRequestUnwanted else { return false }
        // A paused transfer ends only when its sending is resumed.
        resumeSending()
        return true
    }

    /// A Boolean value that indicates whether the whole response has arrived, and the peer wants no more of the request.
    var isRequestUnwanted: Bool { stream.map { $0.wasReset && $0.hasResponse } ?? false }

    /// A Boolean value that indicates whether libcurl may hold content that the receiver has yet to take.
    private var isReceivingPaused: Bool { isYielding || pausedDirections.contains(.receive) }

    /// The result for libcurl's read callback if the peer accepts no more content; `nil` if it still does.
    ///
    /// Failing ends the transfer, once the receiver has taken the whole response.
    var answerToUnwantedContent: SendAnswer? {
        guard isRequestUnwanted, head != nil else { return nil }
        return isReceivingPaused ? .held : .failed
    }

    /// Keeps libcurl from sending until the receiver takes held content, which would be lost with the transfer's end.
    func holdUnwantedContent() {
        if isRequestUnwanted { _ = pauseBoth() }
    }

    /// Returns whether libcurl gave up only because the peer wants no more of the request, and the response is complete.
    func hasWholeResponse(after result: CURLcode) -> Bool {
        guard isRequestUnwanted, head != nil, !isReceivingPaused else { return false }
        // The first is a stream that accepts no more content, the second follows from `answerToUnwantedContent`.
        return result == CURLE_HTTP2_STREAM || result == CURLE_ABORTED_BY_CALLBACK
    }

    /// A Boolean value that indicates whether the transfer ends when libcurl next reads for it: the connection was
    /// terminated, or libcurl has sent the request's content or will send no more of it.
    fileprivate var canEnd: Bool {
        if isRequestUnwanted || stream?.wasTerminated == true { return true }
        if let head, head.endsSending { return true }
        guard let contentLength else { return requestSentAt != nil }
        return easy.map { $0.uploaded >= contentLength } ?? false
    }
}

extension ResponseHead {
    /// A Boolean value that indicates whether libcurl usually stops sending the request's content after this head.
    var endsSending: Bool { status >= 300 }
}
