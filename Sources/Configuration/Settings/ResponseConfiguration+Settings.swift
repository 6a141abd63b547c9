import ResponseSerialization
import SessionCore
import YAML

extension ResponseConfiguration {
    static let settings = SettingGroup(
        ResponseConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .serializers,
                """
                What reads the content, unless a task chooses another. `json`: one JSON value, passed on exactly. `xml`: \
                a document, as a tree. `plist`: a property list, as JSON. `text`: a string. `image`: its format and \
                size. `raw`: bytes. `auto`: what the content type asks for. Several are tried in order.
                """),
            Setting(
                "acceptable_statuses", \.acceptableStatuses.ranges, .list(of: .statusRange),
                "The statuses of success; a task with any other fails."),
            Setting(
                "acceptable_content_types", \.acceptableContentTypes, .nullable(.list(of: .mediaRange)),
                """
                The content types of success, with `*` for any type or subtype. Null for the serializer's own: those it \
                can read, all of theirs for several, any for `raw` and `auto`.
                """),
            Setting(
                "remove_nulls", \.options.removesNulls, .boolean,
                "Whether JSON loses members of objects and items of arrays that are null, at every depth."),
            Setting("json", \.options.json, .group(JSONReadingOptions.settings), "How JSON is read."),
            Setting("disposition", \.disposition, .group(Disposition.settings), "What becomes of the content."),
        ])
}

extension JSONReadingOptions {
    fileprivate static let settings = SettingGroup(
        JSONReadingOptions(),
        [
            Setting(
                "allow_fragments", \.allowsFragments, .boolean,
                "Whether the outermost value may be something else than an object or an array."),
            Setting("max_depth", \.maxDepth, .integer(1...512), "How deep objects and arrays may nest."),
        ])
}

extension ResponseConfiguration.Disposition {
    fileprivate static let settings = SettingGroup(
        ResponseConfiguration.Disposition(),
        [
            Setting(
                "max_body", \.maxBodyBytes, .size(0...1 << 50),
                """
                The largest content, after decompression. At most \
                \(ByteSize.format(ResponseConfiguration.maxReadBytes)) with any serializer but `raw`: they read the \
                content as a whole.
                """),
            Setting(
                constant: "over_limit", "fail", unavailable: ["become_download"],
                "What happens when there is more: the task fails."),
        ],
        unavailable: ["become_download_types"])
}

extension SettingType where Value == ResponseSerializerChoice {
    /// The name of a serializer, or a list of names that are tried in order.
    fileprivate static var serializers: SettingType {
        let name = SettingType<ResponseSerializerKind>.choice()
        let names = SettingType<[ResponseSerializerKind]>.list(of: name, orSingle: true, isNotEmpty: true)
        return SettingType(
            shape: names.shape,
            // An empty list is no choice, and was reported.
            read: { node, _, reader in
                guard let kinds = names.read(node, nil, &reader) else { return nil }
                if Set(kinds).count < kinds.count { reader.report("a serializer is in the list twice") }
                return ResponseSerializerChoice(kinds)
            },
            write: { $0.kinds.count == 1 ? name.write($0.kinds[0]) : names.write($0.kinds) })
    }
}
