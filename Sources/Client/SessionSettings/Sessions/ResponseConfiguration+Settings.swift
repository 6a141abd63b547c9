import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension ResponseConfiguration {
    static let settings = SettingGroup(
        ResponseConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .serializers,
                """
                The default parser of the content. `json`: one JSON value, passed on unchanged. `xml`: a document, \
                as a tree. `plist`: a property list, as JSON. `text`: a string. `image`: the format and size of an \
                image. `raw`: bytes. `auto`: chosen by the content type. Several parsers are tried in order.
                """),
            Setting(
                "acceptable_statuses", \.acceptableStatuses.ranges, .list(of: .statusRange, isNotEmpty: true),
                "The statuses that count as success; with any other status the task fails."),
            Setting(
                "acceptable_content_types", \.acceptableContentTypes,
                .nullable(.list(of: .mediaRange, isNotEmpty: true)),
                """
                The content types that count as success, with `*` for any type or subtype. Null for the types that \
                the serializers can read; `raw` and `auto` accept any type.
                """),
            Setting(
                "remove_nulls", \.options.removesNulls, .boolean,
                "If true, null members of objects and null items of arrays are removed from JSON at every depth."),
            Setting("json", \.options.json, .group(JSONReadingOptions.settings), "The options for reading JSON."),
            Setting(
                "disposition", \.disposition, .group(Disposition.settings),
                "The limit of the content, and the content that no serializer reads."),
        ])
}

extension JSONReadingOptions {
    fileprivate static let settings = SettingGroup(
        JSONReadingOptions(),
        [
            Setting(
                "allow_fragments", \.allowsFragments, .boolean,
                "If true, the outermost value may also be something other than an object or an array."),
            Setting("max_depth", \.maxDepth, .integer(1...512), "The nesting limit of objects and arrays."),
        ])
}

extension ResponseConfiguration.Disposition {
    fileprivate static let settings = SettingGroup(
        ResponseConfiguration.Disposition(),
        [
            Setting(
                "max_body", \.ownMaxBodyBytes, .nullable(.size(0...1 << 50)),
                """
                The size limit of the content, after decompression. `null` for \
                \(ByteSize.format(ResponseConfiguration.Disposition.defaultMaxBodyBytes)), and for no limit of the \
                successful responses of the serializer `raw`. At most \
                \(ByteSize.format(ResponseConfiguration.maxReadBytes)) with any other serializer, because these read \
                the content as a whole.
                """),
            Setting(
                "over_limit", \.overLimit, .choice(),
                """
                The reaction to larger content of a successful response. `fail`: the task fails. `become_download`: \
                the content becomes the body of the task, whatever its size, and no serializer reads it.
                """),
            Setting(
                "become_download_types", \.becomeDownloadTypes, .list(of: .mediaRange),
                """
                The content types of successful responses that become the body of the task, whatever their size, and \
                that no serializer reads, such as `application/zip` or `video/*`.
                """),
            Setting(
                "unacceptable", \.unacceptable, .choice(),
                """
                The handling of the content of a response whose status or content type is not acceptable. `keep`: it \
                is received, up to `max_body`, and explains the error. `cancel`: the transfer ends when the head has \
                come, and the task has the head only; a connection over HTTP/1.1 is closed and not reused.
                """),
        ])
}

extension SettingType where Value == ResponseSerializerChoice {
    /// The type of serializers: one name, or a list of names that are tried in order.
    fileprivate static var serializers: SettingType {
        let name = SettingType<ResponseSerializerKind>.choice()
        let names = SettingType<[ResponseSerializerKind]>.list(of: name, orSingle: true, isNotEmpty: true)
        return SettingType(
            shape: names.shape,
            // An empty list selects no serializer. It was already reported.
            read: { node, _, reader in
                guard let kinds = names.read(node, nil, &reader) else { return nil }
                if Set(kinds).count < kinds.count { reader.report("duplicate serializer in the list") }
                return ResponseSerializerChoice(kinds)
            },
            write: { $0.kinds.count == 1 ? name.write($0.kinds[0]) : names.write($0.kinds) })
    }
}
