package import ErrandJSON
package import ErrandSessionCore
import ErrandSettings

extension ConfigurationPrinter {
    /// Writes the configuration of one session as a JSON object.
    ///
    /// It has the members and values of the file: every setting, including defaults, with secrets as `[redacted]`. The
    /// session for callbacks lacks the settings that have no effect in it.
    package static func write(_ session: SessionConfiguration, to writer: inout JSONWriter) {
        SettingJSON.write(CallbackSessionSettings.write(session), to: &writer)
    }
}
