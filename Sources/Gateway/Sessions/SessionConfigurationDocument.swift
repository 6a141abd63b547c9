import HTTPTypes
import JSON
import SessionCore
import Transfer

/// The configuration of a session as `/v1/sessions` shows it: what decides about its tasks, without secrets.
enum SessionConfigurationDocument {
    static func write(_ configuration: SessionConfiguration, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("base_url")
        if let base = configuration.baseURL { writer.string(base.string) } else { writer.null() }
        writer.member("url_scope")
        writer.string(configuration.urlScope.rawValue)
        writer.member("headers")
        HeaderDocument.write(HeaderRedaction.redacting(configuration.headers), to: &writer)
        writer.endObject()
    }
}
