import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML
import HTTPTypes

extension TracingConfiguration.OTLP {
    /// Reports a session or a path with which no request could reach the collector.
    ///
    /// - Parameters:
    ///   - session: The session with the name in the settings.
    ///   - node: The root of the file.
    func check(_ session: SessionConfiguration, in node: YAMLNode?, reportingTo reader: inout SettingReader) {
        func isSound(_ setting: String) -> Bool {
            reader.isSound("session_defaults", setting) && reader.isSound("sessions", session.name, setting)
        }
        guard isSound("base_url") else { return }
        guard let baseURL = session.baseURL?.withTrailingSlashPath else {
            reader.report(
                "expected a session with a base_url, found \(session.name), which has none",
                at: "tracing", "otlp", "session", in: node)
            return
        }
        if !session.allowedMethods.contains(.post), isSound("allow_methods") {
            let methods = session.allowedMethods.map(\.rawValue).joined(separator: ", ")
            reader.report(
                "expected a session whose allow_methods contain POST, found \(session.name), which allows \(methods)",
                at: "tracing", "otlp", "session", in: node)
        }
        guard reader.isSound("tracing", "otlp", "path"), isSound("url_scope") else { return }
        let url = try? baseURL.resolving(path)
        let expected: String
        if url?.isSameOrigin(as: baseURL) != true {
            expected = "a path on the origin of base_url"
        } else if session.urlScope == .base, url?.isBelow(baseURL) != true {
            expected = "a path below base_url, because url_scope is base"
        } else {
            return
        }
        // Interpolated text may be a secret in the wrong place.
        let written = node?[YAMLPath(keys: ["tracing", "otlp", "path"])]
        let isShown = written.map { !reader.isInterpolated($0) } ?? false
        let found = isShown ? YAMLText.quoted(path, limit: 40) : "another value"
        reader.report(
            "expected \(expected), such as v1/traces, found \(found)", at: "tracing", "otlp", "path", in: node)
    }
}
