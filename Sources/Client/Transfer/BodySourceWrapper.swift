/// A body source that changes the way in which another source is read, and forwards everything else to it.
package protocol BodySourceWrapper: BodySource {
    /// The wrapped source.
    var source: any BodySource { get }
}

extension BodySourceWrapper {
    package var length: Int64? { source.length }
    package var isSpent: Bool { source.isSpent }
    package var failure: (any Error)? { source.failure }
    package var sha256: [UInt8]? { source.sha256 }
    package var isRepeatable: Bool { source.isRepeatable }
    package func begin(resume: @escaping @Sendable () -> Void) { source.begin(resume: resume) }
    package func end() { source.end() }
    package func abandon() { source.abandon() }
    package func rewind() -> Bool { source.rewind() }
}
