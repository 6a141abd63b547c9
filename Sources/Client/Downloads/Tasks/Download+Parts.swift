import ErrandFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTransfer

// The parts of a download over several connections.
//
// The first response of an attempt is received by the attempt itself. Others begin when its head has come; when it has
// ended, its connection receives parts too. What it lacks if its connection is lost is a part like the others. Each of
// them is validated; if one is refused, so is the download. The end of the attempt waits for all of them.

extension Download {
    /// Begins to receive parts beside the first response, if the content is divided.
    func startParts() {
        let count = state.withLock { $0.parts.map(\.furtherConnections) ?? 0 }
        for _ in 0..<count {
            let task = Task { await self.receiveParts() }
            state.withLock { $0.connections.tasks.append(task) }
        }
    }

    /// Receives the remaining parts after the first response, and waits for those that are under way.
    ///
    /// - Returns: The outcome of the attempt, which counts the bytes of all parts.
    func receiveParts(after first: SessionOutcome, isCanceled: () -> Bool) async -> SessionOutcome {
        guard state.withLock({ $0.parts != nil || !$0.connections.tasks.isEmpty }) else { return first }
        // Nothing of a refused response is kept, whatever its error.
        let isOver = first.mayRestart || first.isRefused || isCanceled() || first.error != nil && isOverdue
        switch state.withLock({ isOver ? .cancel : $0.endFirst(first.error) }) {
        case .receiveParts: await receiveParts()
        case .leaveParts: break
        case .cancel: cancelParts()
        }
        for task in state.withLock({ $0.connections.tasks }) { await task.value }
        // The others may have had nothing left to ask for when the first response was lost.
        while !isCanceled(), state.withLock({ $0.goOnWithoutFirst() }) { await receiveParts() }
        var outcome = first
        let (sent, received) = state.withLock { state in
            state.connections.tasks = []
            defer { (state.connections.bytesSent, state.connections.bytesReceived) = (0, 0) }
            return (state.connections.bytesSent, state.connections.bytesReceived)
        }
        outcome.metrics.bytesSent += sent
        outcome.metrics.bytesReceived += received
        return outcome
    }

    /// True if the attempt has exceeded its time.
    private var isOverdue: Bool {
        guard let (attempt, request) = state.withLock({ $0.partRequest }) else { return false }
        return attempt.timeout(of: request) != nil
    }

    /// Receives one part after the other, until none is left or its connection is of no use.
    private func receiveParts() async {
        guard let (attempt, request) = state.withLock({ $0.partRequest }) else { return }
        while let (part, validator) = state.withLock({ $0.claimPart() }) {
            let control = AttemptControl()
            guard state.withLock({ $0.connections.add(control, number: part.number) }) else { return }
            let outcome = await attempt.run(
                request.asking(fromByte: part.range.lowerBound, upTo: part.range.upperBound, ifStill: validator),
                sink: PartSink(part, of: self), control: control)
            let (mayContinue, hasUnclaimed) = state.withLock { state in
                (state.endPart(part, outcome), state.parts?.hasUnclaimed ?? false)
            }
            if outcome.isRefused, let error = outcome.error { return refuse(because: error) }
            // The time of the attempt does not matter to bytes that are in the file.
            if hasUnclaimed, let error = attempt.timeout(of: request) { return fail(error) }
            guard mayContinue else { return }
        }
    }

    /// Ends the download because the response of a part was refused, and forgets what it has received.
    private func refuse(because error: SessionError) {
        state.withLock { $0.machine.forget() }
        fail(error)
    }

    /// Ends the parts that are under way.
    func cancelParts() {
        for control in state.withLock({ $0.connections.cancel() }) { control.cancel() }
    }

    // MARK: For the sinks

    /// Begins the response to the request for a part.
    func begin(_ head: ResponseHead, ofPart number: Int) -> DownloadParts.Action {
        let isAcceptable = isAcceptable(head)
        let (action, isChanged) = state.withLock { state in
            let action = state.parts?.received(head, of: number, isAcceptable: isAcceptable) ?? .stop
            return (action, state.parts?.isChanged ?? false)
        }
        if isChanged { cancelParts() }
        return action
    }

    /// Records content of a part; returns false if it is not wanted any longer.
    func received(bytes: Int, ofPart number: Int) -> Bool {
        let (isWanted, attempt) = state.withLock { state in
            guard state.failure == nil else { return (false, state.connections.attempt) }
            return (state.parts?.received(bytes: bytes, of: number) ?? false, state.connections.attempt)
        }
        attempt?.note()
        return isWanted
    }

    /// Writes content of a part, on the queue; returns false if it could not be written.
    func write(_ piece: [UInt8], ofPart number: Int) -> Bool {
        let (file, offset) = state.withLock { state in
            (state.failure == nil ? state.file : nil, state.parts?.offset(of: number))
        }
        guard let file, let offset else { return false }
        do throws(SystemFailure) {
            try file.write(piece, at: offset)
        } catch {
            fail(SessionError(writing: error, to: file.path))
            return false
        }
        state.withLock { $0.parts?.didWrite(piece.count, of: number) }
        recordParts(piece.count)
        return true
    }
}

extension DownloadState {
    /// The work of the connection of the first response after its end.
    fileprivate enum FirstEnd: Sendable {
        /// It receives parts.
        case receiveParts
        /// It leaves them to the others.
        case leaveParts
        /// Nothing more is received.
        case cancel
    }

    /// Ends the first response of an attempt that goes on.
    fileprivate mutating func endFirst(_ error: SessionError?) -> FirstEnd {
        guard failure == nil, parts != nil else { return .cancel }
        switch error?.code {
        case nil where machine.position == machine.end:
            parts?.firstDidEnd(at: machine.position)
            return .receiveParts
        case .connectionLost, .timedOut:
            let bytes = parts?.firstWasLost(at: machine.position) ?? 0
            return bytes >= DownloadParts.minProgress ? .receiveParts : .leaveParts
        default:
            return .cancel
        }
    }

    /// Goes on without a lost first response, if it has left something and another connection can bring it.
    ///
    /// - Returns: True if more parts are to be received.
    fileprivate mutating func goOnWithoutFirst() -> Bool {
        guard failure == nil, !connections.mayRestart else { return false }
        return parts?.goOnWithoutFirst() ?? false
    }

    /// The attempt, and the request for the whole content.
    fileprivate var partRequest: (RunningAttempt, PreparedRequest)? {
        guard let attempt = connections.attempt, let request = connections.request else { return nil }
        return (attempt, request)
    }

    /// Claims the next part, with the validator on which it depends; `nil` if there is none.
    fileprivate mutating func claimPart() -> (DownloadParts.Part, validator: String)? {
        guard failure == nil, let validator = machine.validator, let part = parts?.claim() else { return nil }
        return (part, validator.text)
    }

    /// Ends a part; returns true if its connection can bring another one.
    fileprivate mutating func endPart(_ part: DownloadParts.Part, _ outcome: SessionOutcome) -> Bool {
        connections.end(part.number, outcome.metrics)
        let bytes = parts?.end(part.number) ?? 0
        if outcome.mayRestart { connections.mayRestart = true }
        return part.isWorthAnother(after: bytes) && !outcome.mayRestart && outcome.error?.code != .canceled
    }
}
