import ErrandConfiguration
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

extension ContentStorage {
    /// Returns the storage of a temporary folder, with contents and without downloads.
    static func sample(_ folder: GatewayFolder? = nil) throws -> ContentStorage {
        let folder = try folder ?? GatewayFolder()
        return ContentStorage(try folder.files(), watchers: TaskWatchers())
    }
}

extension SessionCatalog {
    /// Returns the sessions `up`, which has an upstream, and `callbacks`, which has none.
    static func upAndCallbacks(
        signing callbacks: CallbackConfiguration = CallbackConfiguration()
    ) throws -> SessionCatalog {
        let up = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/v1/"))
        let logger = DispatcherFixture.logger
        let transport = ScriptedTransport([])
        return SessionCatalog(
            [up, .callbacks(inheriting: SessionConfiguration(name: ""))], defaultName: nil,
            callbacks: CallbackSigning(callbacks),
            factory: SessionFactory(logger: logger) { _ in transport }, logger: logger)
    }
}
