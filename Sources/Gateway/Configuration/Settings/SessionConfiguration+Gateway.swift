package import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings

extension SessionConfiguration {
    /// A session of the gateway with the default of every setting.
    ///
    /// The gateway names itself and its interface version in `User-Agent` (RFC 9110 §10.1.5), under any name of its
    /// executable.
    package static let gatewayDefaults: SessionConfiguration = {
        var session = SessionConfiguration(name: "")
        session.userAgent = "errand/1.0"
        return session
    }()

    /// The settings of a session, with the defaults of the gateway.
    static let gatewaySettings = settings.starting(from: gatewayDefaults)
}
