import ErrandAuthentication
import ErrandSettings
import HTTPTypes

/// The settings of an API key.
struct APIKeySettings: Sendable {
    var header: HTTPField.Name?
    var query: String?
    var value = ""

    init() {}

    init(_ key: APIKey) {
        switch key.place {
        case .header(let name): header = name
        case .query(let name): query = name
        }
        value = key.value
    }

    /// The credentials; `nil` unless exactly one place is set, which is reported.
    var credentials: Credentials? {
        switch (header, query) {
        case (let header?, nil): .apiKey(APIKey(place: .header(header), value: value))
        case (nil, let query?): .apiKey(APIKey(place: .query(query), value: value))
        case (nil, nil), (.some, .some): nil
        }
    }

    static let settings = SettingGroup(
        APIKeySettings(),
        [
            Setting(
                "header", \.header, .nullable(.headerName),
                "The header field that contains the key. Set either this or `query`."),
            Setting("query", \.query, .nullable(.text()), "The query item that contains the key, unescaped."),
            Setting("value", \.value, .secret(minimum: 1), isRequired: true, "The key."),
        ]
    ) { key, node, reader in
        guard reader.isSound("header"), reader.isSound("query") else { return }
        switch (key.header, key.query) {
        case (nil, nil): reader.report("expected either header or query, found neither")
        case (.some, .some): reader.report("expected either header or query, found both", at: "query", in: node)
        case (nil, .some), (.some, nil):
            reader.report(key.credentials?.problems ?? [], in: node)
        }
    }
}

extension SettingVariant where Value == Credentials {
    /// An API key.
    static var apiKey: SettingVariant {
        SettingVariant(
            APIKey.kind, .group(APIKeySettings.settings), "A fixed value in a header field or a query item.",
            make: { $0.credentials },
            take: { if case .apiKey(let key) = $0 { APIKeySettings(key) } else { nil } })
    }
}
