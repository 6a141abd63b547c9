import ErrandTransfer

/// A phase of an attempt, from the lookup of the host's name to the end of the response.
///
/// The phases of an attempt follow each other; a phase that was not needed has no time: a connection that is used again
/// is neither looked up nor established. Of an attempt with redirects or challenges, the phases are those of its last
/// request, and the earlier ones count to the first phase of that.
enum AttemptPhase: Int, CaseIterable, Sendable {
    /// The host's name is resolved.
    case nameLookup
    /// The connection is established.
    case connect
    /// The TLS handshake.
    case tlsHandshake
    /// The request is sent.
    case send
    /// The upstream works: from the end of the request to the first byte of the response.
    case wait
    /// The response is received.
    case receive

    /// The value of the label `phase`.
    var label: String {
        switch self {
        case .nameLookup: "name_lookup"
        case .connect: "connect"
        case .tlsHandshake: "tls_handshake"
        case .send: "send"
        case .wait: "wait"
        case .receive: "receive"
        }
    }

    /// Returns the time of the phase; `nil` if the attempt did not complete it or did not need it.
    func duration(in metrics: TransferMetrics) -> Duration? {
        guard let end = end(in: metrics) else { return nil }
        // The response may begin before the request is sent completely, for example one that refuses it.
        return max(.zero, end - start(in: metrics))
    }

    /// Returns the end of the last phase before this one that has one; zero if none has.
    private func start(in metrics: TransferMetrics) -> Duration {
        guard let previous = AttemptPhase(rawValue: rawValue - 1) else { return .zero }
        return previous.end(in: metrics) ?? previous.start(in: metrics)
    }

    private func end(in metrics: TransferMetrics) -> Duration? {
        switch self {
        case .nameLookup: metrics.nameLookup
        case .connect: metrics.connect
        case .tlsHandshake: metrics.tlsHandshake
        case .send: metrics.requestSent
        case .wait: metrics.firstByte
        case .receive: metrics.firstByte == nil ? nil : metrics.total
        }
    }
}
