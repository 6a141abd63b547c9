import CErrandCurl
import ErrandTransfer

// MARK: Responses before the end of the request

extension CurlEngine {
    /// Lets libcurl notice the streams that have ended with the request's content instead of the response's.
    ///
    /// A peer may respond before it has the whole request (RFC 9113 §8.1). The last frame of the stream is then our own,
    /// and libcurl 7.88 learns of the end only when it next reads for the transfer. Nothing more arrives, so that it
    /// would wait until a timeout. Pausing and resuming a transfer makes libcurl read for it.
    func readEarlyResponses() {
        guard !state.respondedEarly.isEmpty else { return }
        state.respondedEarly.removeAll { !isRunning($0) }
        for transfer in state.respondedEarly where transfer.hasSentContent && transfer.pausedDirections.isEmpty {
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
    /// Records, before the transfer takes the head of its response, whether the response begins before the request's
    /// content is sent.
    func noteEarlyResponse(in state: LoopState) {
        if stream != nil, !hasSentContent { state.respondedEarly.append(self) }
    }

    /// A Boolean value that indicates whether libcurl has sent the request's content or will send no more of it.
    fileprivate var hasSentContent: Bool {
        if let head, head.endsSending { return true }
        guard let contentLength else { return requestSentAt != nil }
        return easy.map { $0.uploaded >= contentLength } ?? false
    }
}

extension ResponseHead {
    /// A Boolean value that indicates whether libcurl stops sending the request's content after this head.
    var endsSending: Bool { status >= 300 }
}
