import ErrandTransfer

/// A source that sends no faster than the attempt may.
final class PacedSource: BodySourceWrapper {
    let source: any BodySource
    private let direction: PacedDirection

    init(_ source: any BodySource, _ direction: PacedDirection) {
        self.source = source
        self.direction = direction
    }

    func begin(resume: @escaping @Sendable () -> Void) {
        direction.begin(resume)
        source.begin(resume: resume)
    }

    func end() {
        direction.stop()
        source.end()
    }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        guard !direction.willMove() else { return .pause }
        let before = buffer.byteCount
        let answer = source.read(into: &buffer)
        if case .bytes = answer { direction.count(buffer.byteCount - before) }
        return answer
    }
}
