import RequestSerialization
import SessionCore
import YAML

extension RequestConfiguration {
    static let settings = SettingGroup(
        RequestConfiguration(),
        [
            Setting(
                "serializer", \.serializer, .choice(),
                """
                What turns a task's `parameters` into content, unless the task chooses another. `form`: \
                `application/x-www-form-urlencoded`. `json`: JSON, byte for byte. `plist`: a property list in XML. \
                `multipart`: `multipart/form-data`. `raw`: nothing does, a task brings its `body` itself.
                """),
            Setting(
                "parameters_in_url", \.methodsWithParametersInURL, .list(of: .method),
                "The methods whose `parameters` go into the query of the URL."),
            Setting(
                "arrays", \.options.parameters.arrays, .choice(),
                """
                How arrays are written in queries, forms and multipart bodies. `brackets`: `a[]=1&a[]=2`. `indices`: \
                `a[0]=1&a[1]=2`. `repeat`: `a=1&a=2`. `comma`: `a=1,2`.
                """),
            Setting(
                "nested", \.options.parameters.nested, .choice(),
                "How members of objects in objects are named there. `brackets`: `a[b]=1`. `dots`: `a.b=1`."),
            Setting(
                "booleans", \.options.parameters.booleans, .choice(),
                "How booleans are written there. `numeric`: `1` and `0`. `literal`: `true` and `false`."),
            Setting(
                "nulls", \.options.parameters.nulls, .choice(),
                "How null is written there. `key`: `a`. `empty`: `a=`. `drop`: not at all. `literal`: `a=null`."),
            Setting(
                "spaces", \.options.parameters.spaces, .choice(),
                "How spaces are escaped in queries and forms. `percent`: `%20`. `plus`: `+`."),
            Setting("json", \.options.json, .group(JSONWritingOptions.settings), "What of JSON may change."),
            Setting(
                "compress", \.compression.coding, .choice(),
                """
                How content is compressed; `Content-Encoding` says so. A task whose headers have that field already, and \
                content that is read while it is sent, such as files, are sent as they are.
                """),
            Setting(
                "compress_min", \.compression.minBytes, .size(0...1 << 30), "The least content that is compressed."),
            Setting(
                "multipart_throttle", \.options.throttle, .throttle,
                "How slowly multipart bodies are sent. `none`: as fast as the connection takes them."),
        ])
}

extension JSONWritingOptions {
    fileprivate static let settings = SettingGroup(
        JSONWritingOptions(),
        [
            Setting(
                "pretty", \.prettyPrinted, .boolean,
                "Whether each member and element has a line of its own, indented by two spaces for each level."),
            Setting("sort_keys", \.sortsKeys, .boolean, "Whether members are sorted by the UTF-8 of their names."),
            Setting("escape_slashes", \.escapesSlashes, .boolean, #"Whether `/` in strings is written `\/`."#),
        ])
}

extension BandwidthThrottle {
    fileprivate static let settings = SettingGroup(
        BandwidthThrottle(),
        [
            Setting("packet", \.packetBytes, .size(1...1 << 30), "The most that is sent at once."),
            Setting("delay", \.delay, .duration(.milliseconds(1)...(.seconds(60))), "The pause after each packet."),
        ])
}

extension SettingType where Value == BandwidthThrottle? {
    /// `none`, or the throttle.
    fileprivate static var throttle: SettingType {
        .either(
            SettingType<String>.word(["none"], orMapping: true).mapped({ _ in .some(nil) }, { _ in "none" }),
            or: SettingType<BandwidthThrottle>.group(BandwidthThrottle.settings)
                .mapped({ .some($0) }, { $0 ?? BandwidthThrottle() }),
            isMapping: { $0 != nil })
    }
}
