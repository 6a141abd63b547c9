import ErrandAuthentication
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandText
import ErrandTransfer
import ErrandYAML
import HTTPTypes

extension SettingType where Value == [SessionConfiguration] {
    /// Returns the type of sessions by name.
    ///
    /// The session for callbacks is always among the values.
    ///
    /// - Parameter defaults: The settings of a session that the file does not set.
    static func sessions(inheriting defaults: SessionConfiguration) -> SettingType {
        SettingType(
            shape: .map(keys: "session names", .group(SessionConfiguration.settings.shape)),
            read: { node, _, reader in
                let builtIn = SessionConfiguration.callbacks(inheriting: defaults)
                guard let node else { return [builtIn] }
                var entries = InheritedEntries()
                let sessions: [SessionConfiguration] = reader.mapping(of: node).members.compactMap { member in
                    if let reason = SessionName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), node: member.value) { reader in
                        var session = entries.base(member.key == builtIn.name ? builtIn : defaults)
                        session.name = member.key
                        session = SessionConfiguration.settings.read(member.value, onto: session, &reader)
                        check(session, in: member.value, reportingTo: &reader)
                        if member.key == builtIn.name {
                            CallbackSessionSettings.refuse(in: member.value, reportingTo: &reader)
                        }
                        entries.add(session, in: member.value, reportingTo: &reader)
                        return session
                    }
                }
                return sessions.contains { $0.name == builtIn.name } ? sessions : sessions + [builtIn]
            },
            write: { sessions in
                .mapping(sessions.map { ($0.name, CallbackSessionSettings.write($0)) })
            },
            comparison: .byName)
    }

    /// Checks the settings of a session against each other.
    private static func check(
        _ session: SessionConfiguration, in node: YAMLNode, reportingTo reader: inout SettingReader
    ) {
        if reader.isSound("base_url") { checkBaseURL(of: session, in: node, reportingTo: &reader) }
        SecurityCheck(session: session, node: node).run(&reader)
        EgressCheck(session: session, node: node).run(&reader)
        let limit = ResponseConfiguration.maxReadBytes
        if session.response.serializer.kinds.contains(where: { $0 != .raw }),
            session.response.disposition.maxBodyBytes > limit,
            reader.isSound("response", "serializer"), reader.isSound("response", "disposition")
        {
            let names = session.response.serializer.kinds.map(\.rawValue)
            reader.report(
                """
                expected at most \(ByteSize.format(limit)): the serializer\(names.count == 1 ? "" : "s") \
                \(names.joined(separator: ", ")) \(names.count == 1 ? "reads" : "read") the content as a whole
                """, at: "response", "disposition", "max_body", in: node)
        }
        let names = session.credentials?.secretHeaderNames ?? []
        if let name = session.headers.map(\.name).first(where: names.contains), reader.isSound("credentials") {
            reader.report(
                "the credentials set the header \(name), which is also in headers", at: "credentials", in: node)
        }
    }

    /// Reports settings that need a base URL, or another one.
    private static func checkBaseURL(
        of session: SessionConfiguration, in node: YAMLNode, reportingTo reader: inout SettingReader
    ) {
        guard let baseURL = session.baseURL else {
            if session.urlScope != .any, reader.isSound("url_scope") {
                reader.report("expected any, because there is no base_url", at: "url_scope", in: node)
            }
            if session.credentials != nil, reader.isSound("credentials") {
                reader.report(
                    "credentials require base_url, because they are sent to that origin only", at: "credentials",
                    in: node)
            }
            if session.reachability.needsBaseURL, reader.isSound("reachability") {
                let setting = session.reachability.probe == .passive ? "hold_when_unreachable" : "probe"
                reader.report("probing requires base_url", at: "reachability", setting, in: node)
            }
            return
        }
        if let path = session.reachability.probe.path, reader.isSound("reachability"),
            (try? baseURL.resolving(path))?.origin != baseURL.origin
        {
            reader.report(
                "expected a path on the origin of base_url, such as /health", at: "reachability", "probe", "http",
                in: node)
        }
    }
}

/// The rule for names of sessions.
enum SessionName {
    /// Returns the reason to refuse a name, or `nil` if it is valid.
    ///
    /// Names appear in URLs, logs and metrics.
    static func reasonToRefuse(_ name: String) -> String? {
        guard !isName(name) else { return nil }
        let similar = String(name.lowercased().map { $0 == " " || $0 == "." ? "_" : $0 })
        return isName(similar) ? "\(expectation); did you mean \(similar)?" : expectation
    }

    /// The message for a text that is not a name.
    static let expectation = "expected a name: a lower-case letter, then up to 63 lower-case letters, digits, _ and -"

    /// Returns true if the text has the form of a name.
    static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 64, let first = text.utf8.first else { return false }
        return isLetter(first) && text.utf8.allSatisfy(isWord)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
