import SessionCore
import YAML

extension ResponseConfiguration {
    static let settings = SettingGroup(
        ResponseConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .choice(unavailable: ["xml", "plist", "text", "image", "auto"]),
                """
                What reads the content, unless a task chooses another. `json`: one JSON value, passed on exactly. `raw`: \
                bytes.
                """),
            Setting(
                "acceptable_statuses", \.acceptableStatuses.ranges, .list(of: .statusRange),
                "The statuses of success; a task with any other fails."),
            Setting(
                "acceptable_content_types", \.acceptableContentTypes, .nullable(.list(of: .mediaRange)),
                """
                The content types of success, with `*` for any type or subtype. Null for the serializer's own: \
                `application/json`, `text/json`, `text/javascript` for `json`, any for `raw`.
                """),
            Setting("json", \.json, .group(JSONOptions.settings), "How JSON is read."),
            Setting("disposition", \.disposition, .group(Disposition.settings), "What becomes of the content."),
        ],
        unavailable: ["remove_nulls"])
}

extension ResponseConfiguration.JSONOptions {
    fileprivate static let settings = SettingGroup(
        ResponseConfiguration.JSONOptions(),
        [
            Setting(
                "allow_fragments", \.allowsFragments, .boolean,
                "Whether the outermost value may be something else than an object or an array."),
            Setting("max_depth", \.maxDepth, .integer(1...512), "How deep objects and arrays may nest."),
        ])
}

extension ResponseConfiguration.Disposition {
    /// The largest content that a serializer reads as a whole, in bytes.
    static let maxParsedBytes: Int64 = 64 << 20

    fileprivate static let settings = SettingGroup(
        ResponseConfiguration.Disposition(),
        [
            Setting(
                "max_body", \.maxBodyBytes, .size(0...1 << 50),
                """
                The largest content, after decompression. At most 64MiB with the serializer `json`, which reads it as a \
                whole.
                """),
            Setting(
                constant: "over_limit", "fail", unavailable: ["become_download"],
                "What happens when there is more: the task fails."),
        ],
        unavailable: ["become_download_types"])
}
