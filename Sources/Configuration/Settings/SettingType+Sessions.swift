import SessionCore
import YAML

extension SettingType where Value == [SessionConfiguration] {
    /// Sessions by name.
    ///
    /// - Parameter defaults: What each session has where the file says nothing.
    static func sessions(inheriting defaults: SessionConfiguration) -> SettingType {
        SettingType(
            shape: .map(keys: "session names", .group(SessionConfiguration.settings.shape)),
            read: { node, _, reader in
                guard let node else { return nil }
                return reader.mapping(of: node).members.compactMap { member in
                    if let reason = SessionName.reasonToRefuse(member.key) {
                        reader.report(reason, atKeyOf: member)
                    }
                    return reader.enter(.key(member.key), member.value) { reader in
                        var session = defaults
                        session.name = member.key
                        session = SessionConfiguration.settings.read(member.value, onto: session, &reader)
                        check(session, member.value, &reader)
                        return session
                    }
                }
            },
            write: { sessions in
                .mapping(sessions.map { ($0.name, SessionConfiguration.settings.write($0)) })
            })
    }

    private static func check(_ session: SessionConfiguration, _ node: YAMLNode, _ reader: inout SettingReader) {
        if session.baseURL == nil, session.urlScope != .any, reader.isSound("base_url"), reader.isSound("url_scope") {
            reader.report("without a base_url the scope has to be any", at: "url_scope", in: node)
        }
        let limit = ResponseConfiguration.Disposition.maxParsedBytes
        if session.response.serializer == .json, session.response.disposition.maxBodyBytes > limit {
            reader.report(
                "the serializer json reads the body as a whole: at most \(ByteSize.format(limit))",
                at: "response", "disposition", "max_body", in: node)
        }
    }
}

/// What sessions may be called.
enum SessionName {
    /// Why a name is refused, or `nil` when it is not.
    ///
    /// Names appear in URLs, logs and metrics.
    static func reasonToRefuse(_ name: String) -> String? {
        guard name != "callbacks" else { return "the name callbacks is reserved" }
        guard name.utf8.count <= 64, let first = name.utf8.first, isLetter(first), name.utf8.allSatisfy(isWord) else {
            return "expected a name: a lower-case letter, then up to 63 lower-case letters, digits, _ and -"
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-")
    }
}
