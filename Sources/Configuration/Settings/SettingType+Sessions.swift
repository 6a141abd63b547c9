import Authentication
import HTTPTypes
import ResponseSerialization
import SessionCore
import Transfer
import YAML

extension SettingType where Value == [SessionConfiguration] {
    /// Sessions by name.
    ///
    /// The one that carries callbacks is always among them.
    ///
    /// - Parameter defaults: What each session has where the file says nothing.
    static func sessions(inheriting defaults: SessionConfiguration) -> SettingType {
        SettingType(
            shape: .map(keys: "session names", .group(SessionConfiguration.settings.shape)),
            read: { node, _, reader in
                let builtIn = SessionConfiguration.callbacks(inheriting: defaults)
                guard let node else { return [builtIn] }
                let sessions: [SessionConfiguration] = reader.mapping(of: node).members.compactMap { member in
                    if let reason = SessionName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), member.value) { reader in
                        var session = member.key == builtIn.name ? builtIn : defaults
                        session.name = member.key
                        session = SessionConfiguration.settings.read(member.value, onto: session, &reader)
                        check(session, member.value, &reader)
                        return session
                    }
                }
                return sessions.contains { $0.name == builtIn.name } ? sessions : sessions + [builtIn]
            },
            write: { sessions in
                .mapping(sessions.map { ($0.name, SessionConfiguration.settings.write($0)) })
            },
            comparison: .byName)
    }

    /// What settings have to do with each other.
    private static func check(_ session: SessionConfiguration, _ node: YAMLNode, _ reader: inout SettingReader) {
        if reader.isSound("base_url") { checkBaseURL(of: session, node, &reader) }
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
                with the serializer\(names.count == 1 ? "" : "s") \(names.joined(separator: ", ")) the content is read as \
                a whole: at most \(ByteSize.format(limit))
                """, at: "response", "disposition", "max_body", in: node)
        }
        let names = session.credentials?.secretHeaderNames ?? []
        if let name = session.headers.map(\.name).first(where: names.contains), reader.isSound("credentials") {
            reader.report("these set the header \(name), which headers sets too", at: "credentials", in: node)
        }
    }

    /// What has no meaning without a base URL, or another one with it.
    private static func checkBaseURL(
        of session: SessionConfiguration, _ node: YAMLNode, _ reader: inout SettingReader
    ) {
        guard let baseURL = session.baseURL else {
            if session.urlScope != .any, reader.isSound("url_scope") {
                reader.report("without a base_url the scope has to be any", at: "url_scope", in: node)
            }
            if session.credentials != nil, reader.isSound("credentials") {
                reader.report(
                    "credentials need a base_url: they are sent to its origin only", at: "credentials", in: node)
            }
            if session.reachability.needsBaseURL, reader.isSound("reachability") {
                let setting = session.reachability.probe == .passive ? "hold_when_unreachable" : "probe"
                reader.report("without a base_url there is nothing to probe", at: "reachability", setting, in: node)
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

/// What sessions may be called.
enum SessionName {
    /// Why a name is refused, or `nil` when it is not.
    ///
    /// Names appear in URLs, logs and metrics.
    static func reasonToRefuse(_ name: String) -> String? {
        return isName(name) ? nil : expectation
    }

    /// What is told of a text that is no name.
    static let expectation = "expected a name: a lower-case letter, then up to 63 lower-case letters, digits, _ and -"

    /// Whether a text has the form of a name.
    static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 64, let first = text.utf8.first else { return false }
        return isLetter(first) && text.utf8.allSatisfy(isWord)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }
}
