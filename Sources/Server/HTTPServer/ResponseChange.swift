/// A change of the responses of a ``RequestDisposition``.
public struct ResponseChange: Sendable {
    /// True if it only observes the responses of the handler, and gets none that the server sends by itself.
    package let isObserver: Bool
    /// Changes a response.
    package let apply: @Sendable (inout ServerResponse) -> Void
}

extension RequestDisposition {
    /// Returns a disposition whose responses a closure changes before they are sent.
    ///
    /// A handler that wraps another one adds what every response has. A closure of an inner handler runs first.
    ///
    /// - Parameter change: Changes a response. Runs where the response is made: on the server's thread, where it must not
    ///   block, or in the task of the handler's closure.
    public func changingResponses(_ change: @escaping @Sendable (inout ServerResponse) -> Void) -> Self {
        // The usual case of a short answer.
        if case .immediate(var response) = self {
            change(&response)
            return .immediate(response)
        }
        return .changed(self, by: ResponseChange(isObserver: false, apply: change))
    }

    /// Returns a disposition whose response is passed to a closure before it is sent.
    ///
    /// Except the response to a body above the limit, with which the handler has nothing to do, and to a streamed body
    /// that the server refuses: the closure gets the response of the handler then, although it is not sent.
    ///
    /// - Parameter observe: Gets the response. Runs where the response is made, as in ``changingResponses(_:)``.
    public func observingResponses(_ observe: @escaping @Sendable (ServerResponse) -> Void) -> Self {
        if case .immediate(let response) = self {
            observe(response)
            return self
        }
        return .changed(self, by: ResponseChange(isObserver: true) { observe($0) })
    }

    /// Applies all changes to a response, the innermost first, as the server does once for each response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - isObserved: False for a response that the server sends by itself, and that observers do not get. Default:
    ///     true.
    public func applyChanges(to response: inout ServerResponse, isObserved: Bool = true) {
        guard case .changed(let inner, let change) = self else { return }
        inner.applyChanges(to: &response, isObserved: isObserved)
        if isObserved || !change.isObserver { change.apply(&response) }
    }
}
