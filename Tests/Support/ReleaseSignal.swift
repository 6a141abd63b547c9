/// An object that sends a signal when its last reference is gone.
package final class ReleaseSignal: Sendable {
    private let released: Signal<Void>

    package init(_ released: Signal<Void>) {
        self.released = released
    }

    deinit {
        released.send()
    }
}
