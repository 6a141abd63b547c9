/// A function of the program that is called with the progress of a request.
///
/// It is called at most ten times a second while bytes are transferred, and at the end: the last report of a success
/// says 100 % in both directions, and it is delivered before the call that made the request returns. Progress that was
/// reported already is not repeated.
///
/// This limit delays a report and does not drop the newest one. When no more bytes come, because the transfer stalls or
/// is suspended, or because the upstream has taken all content and works on its response, a report with the last
/// numbers follows within about a fifth of a second. There is none after the end.
///
/// The calls of a request come one at a time and in order, in Swift's pool of threads and never on the thread of
/// transfers. While a call takes long, transfers go on, and of the reports that wait only the newest is delivered; but
/// the end of the request waits for it.
///
/// The content of redirects that are followed, and of responses with an unacceptable status, is not counted.
///
/// Two values are equal if one is a copy of the other.
public struct ProgressHandler: Sendable {
    private let function: Function

    private final class Function: Sendable {
        let call: @Sendable (ProgressReport) -> Void

        init(_ call: @escaping @Sendable (ProgressReport) -> Void) {
            self.call = call
        }
    }

    /// Creates a handler from its function.
    public init(_ call: @escaping @Sendable (ProgressReport) -> Void) {
        function = Function(call)
    }

    func callAsFunction(_ report: ProgressReport) {
        function.call(report)
    }
}

extension ProgressHandler: Hashable {
    /// Returns true if one value is a copy of the other.
    public static func == (one: ProgressHandler, other: ProgressHandler) -> Bool {
        one.function === other.function
    }

    /// Hashes the identity of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(function))
    }
}
