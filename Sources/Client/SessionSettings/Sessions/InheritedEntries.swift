import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML
import HTTPTypes

/// Counts the entries of the settings that a session adds to those of `session_defaults`.
///
/// The file has such a list once, but each session holds a copy. Other lists replace the inherited list as a whole, and
/// a list that is inherited unchanged is shared.
struct InheritedEntries {
    /// The most entries of one mapping in the file.
    static let maxMembers = 1_000

    /// The most addresses of one host.
    static let maxAddresses = 32

    /// The most entries of all sessions together: of headers, and of fixed addresses.
    static let maxEntries = 200_000

    private var headers = 0
    private var fixedAddresses = 0

    /// Returns the values that a session inherits, without the lists that have exceeded their limit already.
    func base(_ session: SessionConfiguration) -> SessionConfiguration {
        var session = session
        if headers > Self.maxEntries { session.headers = [:] }
        if fixedAddresses > Self.maxEntries { session.connection.fixedAddresses = [] }
        return session
    }

    /// Counts the entries of a session, and reports the session with which a limit is exceeded.
    mutating func add(_ session: SessionConfiguration, in node: YAMLNode, reportingTo reader: inout SettingReader) {
        let isUnderLimit = (headers <= Self.maxEntries, fixedAddresses <= Self.maxEntries)
        if node.mapping?["headers"] != nil { headers += session.headers.count }
        // Each transport makes its own copy, with two entries for a host without a port.
        fixedAddresses += session.connection.fixedAddresses.reduce(0) { count, entry in
            count + (entry.port == FixedAddress.noPort ? FixedAddress.defaultPorts.count : 1)
        }
        if isUnderLimit.0, headers > Self.maxEntries {
            reader.report(Self.message("headers", "header fields"), at: "headers", in: node)
        }
        if isUnderLimit.1, fixedAddresses > Self.maxEntries {
            reader.report(
                Self.message("connection.resolve", "hosts with a port"), at: "connection", "resolve", in: node)
        }
    }

    /// Reports a mapping that has more members than allowed.
    ///
    /// - Returns: True if it has.
    static func reportExcess(of mapping: YAMLMapping, to reader: inout SettingReader) -> Bool {
        guard mapping.members.count > maxMembers else { return false }
        reader.report("expected at most \(maxMembers) entries, found \(mapping.members.count)")
        return true
    }

    private static func message(_ setting: String, _ entries: String) -> String {
        """
        expected at most \(maxEntries) \(entries) in all sessions together, found more up to this session: each has \
        those of session_defaults.\(setting) and its own; remove entries there
        """
    }
}
