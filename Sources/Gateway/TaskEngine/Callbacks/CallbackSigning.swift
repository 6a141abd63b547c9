package import ErrandConfiguration
import ErrandLocking

/// The current secrets for signing callbacks; a reload replaces them.
///
/// Any thread.
package final class CallbackSigning: Sendable {
    private let state: Mutex<CallbackConfiguration>

    /// Creates it with a configuration.
    package init(_ configuration: CallbackConfiguration = CallbackConfiguration()) {
        state = Mutex(configuration)
    }

    /// The current configuration.
    package var configuration: CallbackConfiguration {
        state.withLock { $0 }
    }

    /// Replaces the configuration for the attempts that begin from now on.
    package func apply(_ configuration: CallbackConfiguration) {
        state.withLock { $0 = configuration }
    }

    /// True if tasks may have a callback.
    var takesCallbacks: Bool {
        let configuration = configuration
        return configuration.allowsUnsigned || !configuration.secrets.isEmpty
    }
}
