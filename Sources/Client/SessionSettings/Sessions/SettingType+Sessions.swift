import ErrandAuthentication
import ErrandResponseSerialization
package import ErrandSessionCore
package import ErrandSettings
import ErrandText
import ErrandTransfer
import ErrandYAML
import HTTPTypes

extension SettingType where Value == [SessionConfiguration] {
    /// Returns the type of sessions by name.
    ///
    /// - Parameters:
    ///   - settings: The settings of a session.
    ///   - defaults: The values of a session that the file does not set.
    ///   - builtIn: A session that is always among the values; `nil` if there is none.
    package static func sessions(
        _ settings: SettingGroup<SessionConfiguration>, inheriting defaults: SessionConfiguration,
        besides builtIn: BuiltInSession? = nil
    ) -> SettingType {
        SettingType(
            shape: .map(keys: "session names", .group(settings.shape)),
            read: { node, _, reader in
                let added = (builtIn?.session).map { [$0] } ?? []
                guard let node else { return added }
                var entries = InheritedEntries()
                let sessions: [SessionConfiguration] = reader.mapping(of: node).members.compactMap { member in
                    if let reason = SessionName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), node: member.value) { reader in
                        let own = builtIn.flatMap { $0.session.name == member.key ? $0 : nil }
                        var session = entries.base(own?.session ?? defaults)
                        session.name = member.key
                        session = settings.read(member.value, onto: session, &reader)
                        check(session, in: member.value, isBuiltIn: own != nil, reportingTo: &reader)
                        own?.withoutEffect.report(in: member.value, to: &reader)
                        entries.add(session, in: member.value, reportingTo: &reader)
                        return session
                    }
                }
                return sessions + added.filter { session in !sessions.contains { $0.name == session.name } }
            },
            write: { sessions in
                .mapping(
                    sessions.map { session in
                        let node = settings.write(session)
                        let isBuiltIn = session.name == builtIn?.session.name
                        return (session.name, isBuiltIn ? builtIn?.withoutEffect.removed(from: node) ?? node : node)
                    })
            },
            comparison: .byName)
    }

    /// Checks the settings of a session against each other.
    private static func check(
        _ session: SessionConfiguration, in node: YAMLNode, isBuiltIn: Bool, reportingTo reader: inout SettingReader
    ) {
        if reader.isSound("base_url") { checkBaseURL(of: session, in: node, reportingTo: &reader) }
        SecurityCheck(session: session, node: node, mayInheritPins: isBuiltIn).run(&reader)
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
            let setting = session.reachability.probe == .passive ? "hold_when_unreachable" : "probe"
            if session.reachability.needsBaseURL, reader.isSound("reachability", setting) {
                reader.report("probing requires base_url", at: "reachability", setting, in: node)
            }
            return
        }
        if let path = session.reachability.probe.path, reader.isSound("reachability", "probe"),
            (try? baseURL.resolving(path))?.origin != baseURL.origin
        {
            reader.report(
                "expected a path on the origin of base_url, such as /health", at: "reachability", "probe", "http",
                in: node)
        }
    }
}
