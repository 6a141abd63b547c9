import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension RequestConfiguration {
    static let settings = SettingGroup(
        RequestConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .choice(),
                """
                The default format for a task's `parameters`. `form`: `application/x-www-form-urlencoded`. `json`: \
                JSON, byte for byte. `plist`: a property list in XML. `multipart`: `multipart/form-data`. `raw`: \
                none; the task provides its `body`.
                """),
            Setting(
                "parameters_in_url", \.methodsWithParametersInURL, .list(of: .method),
                "The methods whose `parameters` are added to the query of the URL."),
            Setting(
                "arrays", \.options.parameters.arrays, .choice(),
                """
                The notation of arrays in queries, forms and multipart bodies. `brackets`: `a[]=1&a[]=2`. `indices`: \
                `a[0]=1&a[1]=2`. `repeat`: `a=1&a=2`. `comma`: `a=1,2`.
                """),
            Setting(
                "nested", \.options.parameters.nested, .choice(),
                """
                The notation of nested objects in queries, forms and multipart bodies. `brackets`: `a[b]=1`. `dots`: \
                `a.b=1`.
                """),
            Setting(
                "booleans", \.options.parameters.booleans, .choice(),
                """
                The notation of Booleans in queries, forms and multipart bodies. `numeric`: `1` and `0`. `literal`: \
                `true` and `false`.
                """),
            Setting(
                "nulls", \.options.parameters.nulls, .choice(),
                """
                The notation of null in queries, forms and multipart bodies. `key`: `a`. `empty`: `a=`. `drop`: left \
                out. `literal`: `a=null`.
                """),
            Setting(
                "spaces", \.options.parameters.spaces, .choice(),
                "The encoding of spaces in queries and forms. `percent`: `%20`. `plus`: `+`."),
            Setting("json", \.options.json, .group(JSONWritingOptions.settings), "The formatting of JSON bodies."),
            Setting(
                "compress", \.compression.coding, .choice(),
                """
                The compression of content, sent with `Content-Encoding`. Content is sent uncompressed if the task \
                sets or removes that header field itself, or if the content is read while it is sent, such as a file.
                """),
            Setting(
                "compress_min", \.compression.minBytes, .size(0...1 << 30),
                "The minimum size of content that is compressed."),
            Setting(
                "content_digest", \.contentDigest, .choice(),
                """
                The digest of the content as it is sent, in the field `Content-Digest` (RFC 9530). A file is read \
                once more for it, before each attempt. Content is sent without it if the task or the session sets \
                that header field itself, if the task removes it, or if the content can be read only to send it, as \
                with a stream or a form with `multipart_throttle`.
                """),
            Setting(
                "expect_continue", \.expectContinueBytes, .nullable(.size(0...1 << 50)),
                """
                The size from which on content is sent only when the server has agreed to receive it \
                (`Expect: 100-continue`), or has not responded within a second; null for none. Content of unknown \
                length counts as large. So a server can redirect, challenge or refuse a request first, which \
                content that is passed on while it arrives needs: it cannot be sent twice. Content in memory of less \
                than 64 KiB, and content over HTTP/2, is sent at once; newer versions of libcurl than 7.88 wait only \
                before content of more than 1 MiB, or of unknown length. A request that is refused because of the \
                expectation (417) is sent again without it.
                """),
            Setting(
                "multipart_throttle", \.options.throttle, .throttle,
                "A speed limit for sending multipart bodies. `none`: no limit."),
        ])
}

extension JSONWritingOptions {
    fileprivate static let settings = SettingGroup(
        JSONWritingOptions(),
        [
            Setting(
                "pretty", \.prettyPrinted, .boolean,
                "If true, each member and element is on its own line, indented by two spaces per level."),
            Setting(
                "sort_keys", \.sortsKeys, .boolean,
                "If true, members are sorted by the UTF-8 bytes of their names."),
            Setting("escape_slashes", \.escapesSlashes, .boolean, #"If true, `/` in strings is written as `\/`."#),
        ])
}

extension BandwidthThrottle {
    fileprivate static let settings = SettingGroup(
        BandwidthThrottle(),
        [
            Setting("packet", \.packetBytes, .size(1...1 << 30), "The most bytes that are sent at once."),
            Setting("delay", \.delay, .duration(.milliseconds(1)...(.seconds(60))), "The pause after each packet."),
        ])
}

extension SettingType where Value == BandwidthThrottle? {
    /// The type of a throttle, or `none`.
    fileprivate static var throttle: SettingType {
        .either(
            SettingType<String>.word(["none"], orMapping: true).mapped({ _ in .some(nil) }, { _ in "none" }),
            or: SettingType<BandwidthThrottle>.group(BandwidthThrottle.settings)
                .mapped({ .some($0) }, { $0 ?? BandwidthThrottle() }),
            isMapping: { $0 != nil })
    }
}
