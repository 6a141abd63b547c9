package import Configuration
import Locking

/// The secrets that callbacks are signed with, those in force: a reload puts others there.
///
/// Any thread.
package final class CallbackSigning: Sendable {
    private let state: Mutex<CallbackConfiguration>

    /// Begins with a configuration.
    package init(_ configuration: CallbackConfiguration = CallbackConfiguration()) {
        state = Mutex(configuration)
    }

    /// What is in force.
    package var configuration: CallbackConfiguration {
        state.withLock { $0 }
    }

    /// Puts another configuration in force: for the attempts that begin from now on.
    func apply(_ configuration: CallbackConfiguration) {
        state.withLock { $0 = configuration }
    }

    /// Whether tasks may have a callback.
    var takesCallbacks: Bool {
        let configuration = configuration
        return configuration.allowsUnsigned || !configuration.secrets.isEmpty
    }
}
