package import ErrandSessionCore
import ErrandSettings

/// A session that exists even if the file does not declare it.
///
/// It sends to hosts that the file does not name, so that it may inherit pins without having a base URL.
package struct BuiltInSession: Sendable {
    /// The session as it is if the file does not mention it.
    package let session: SessionConfiguration
    /// The settings that have no effect in it.
    package let withoutEffect: [IneffectiveSetting]

    /// Creates a description of a session.
    package init(_ session: SessionConfiguration, withoutEffect: [IneffectiveSetting]) {
        self.session = session
        self.withoutEffect = withoutEffect
    }
}
