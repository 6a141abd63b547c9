/// What a server asks when a request comes in.
///
/// The head is judged before a byte of the body is read, so that a request without a route, a token or an acceptable
/// type is refused for the price of its head.
public protocol HTTPHandler: Sendable {
    /// Judges a head. Called on the server's thread: decide from memory, do not wait.
    func admit(_ head: RequestHead) -> Admission
}
