import ErrandAuthentication
import ErrandText
import ErrandTransfer
import HTTPTypes

/// The secrets that a session and its tasks put into requests, and that must not be shown.
struct SessionSecrets: Sendable {
    /// The header fields set by the credentials.
    let headerNames: Set<HTTPField.Name>
    /// The header fields set by the configuration that carry secrets.
    let ownNames: Set<HTTPField.Name>
    private let queryNames: Set<String>
    /// The values of the query items, unescaped, except short ones: these occur in harmless text too.
    private let queryValues: [[UInt8]]

    /// The least number of bytes of a value that is hidden wherever it occurs.
    private static let minValueBytes = 8

    init(_ credentials: Credentials?, headers: HTTPFields = [:]) {
        headerNames = credentials?.secretHeaderNames ?? []
        ownNames = HeaderRedaction.secretNames(in: headers)
        queryNames = credentials?.secretQueryNames ?? []
        queryValues = (credentials?.secretQueryValues ?? []).map { Array($0.utf8) }
            .filter { $0.count >= Self.minValueBytes }
    }

    /// Returns true if one of the fields is set by the credentials.
    func hasField(among names: [HTTPField.Name]) -> Bool {
        names.contains(where: headerNames.contains)
    }

    /// Returns the header fields of a response with ``HeaderRedaction/placeholder`` for secrets.
    ///
    /// Includes secrets that the response repeats from the request, such as a key in the query of a `Location`, or in
    /// another URL that is a part of that query.
    func shown(_ fields: HTTPFields) -> HTTPFields {
        let shown = HeaderRedaction.redacting(fields) { headerNames.contains($0) || ownNames.contains($0) }
        guard !queryNames.isEmpty else { return shown }
        return HTTPFields(shown.map { HTTPField(name: $0.name, value: self.shown(text: $0.value)) })
    }

    /// Returns a text of the upstream without the secrets in the queries of its URLs.
    private func shown(text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let item = rest[rest.index(after: start)...]
            shown += rest[..<item.startIndex]
            rest = item
            let name = item.prefix { !"=&?#".contains($0) }
            guard item[name.endIndex...].first == "=",
                let decoded = PercentCoding.decodedText(name, plusIsSpace: true), queryNames.contains(decoded)
            else { continue }
            shown += "\(name)=\(HeaderRedaction.placeholder)"
            rest = item[name.endIndex...].drop { !"&#>\" ".contains($0) }
        }
        return hidingValues(in: shown + rest)
    }

    // MARK: Values

    /// Returns a text without the values of secret query items, also where they are percent-encoded once or twice.
    private func hidingValues(in text: String) -> String {
        guard !queryValues.isEmpty else { return text }
        var shown: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if let end = queryValues.compactMap({ Self.end(of: $0, in: rest) }).first {
                shown += HeaderRedaction.placeholder.utf8
                rest = rest[end...]
            } else {
                shown.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the end of a value at the beginning of a text; `nil` if another text is there.
    private static func end(of value: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        for byte in value {
            guard let length = length(of: byte, in: rest) else { return nil }
            rest = rest.dropFirst(length)
        }
        return rest.startIndex
    }

    /// Returns the length of a byte at the beginning of a text, where it may be percent-encoded once or twice; `nil` if
    /// another byte is there.
    private static func length(of byte: UInt8, in text: ArraySlice<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "%") else {
            let isSpace = byte == UInt8(ascii: " ") && text.first == UInt8(ascii: "+")
            return isSpace || text.first == byte ? 1 : nil
        }
        let digits = text.dropFirst()
        // The escape of a percent sign.
        let isTwice = digits.starts(with: "25".utf8)
        if isTwice, PercentCoding.escapedByte(in: digits, after: digits.startIndex + 2) == byte { return 5 }
        if PercentCoding.escapedByte(in: digits, after: digits.startIndex) == byte { return 3 }
        return byte == UInt8(ascii: "%") ? 1 : nil
    }

    // MARK: Requests

    /// Returns the header fields of a request with ``HeaderRedaction/placeholder`` for secrets.
    ///
    /// - Parameter addsOwn: True to include the fields that will be added when the request is sent.
    func shown(_ fields: HTTPFields, addingOwn addsOwn: Bool) -> HTTPFields {
        var shown = HeaderRedaction.redacting(fields) {
            headerNames.contains($0) || ownNames.contains($0) || HeaderRedaction.looksSecret($0)
        }
        guard addsOwn else { return shown }
        for name in headerNames.sorted(by: { $0.canonicalName < $1.canonicalName }) where !shown.contains(name) {
            shown.append(HTTPField(name: name, value: HeaderRedaction.placeholder))
        }
        return shown
    }

    /// Returns the text of a URL with ``HeaderRedaction/placeholder`` for secrets in its query.
    ///
    /// - Parameter addsOwn: True to include the parameters that will be added when the request is sent.
    func shown(_ url: HTTPURL, addingOwn addsOwn: Bool = false) -> String {
        guard !queryNames.isEmpty else { return url.string }
        var missing = queryNames
        let items = (url.query ?? "").split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            guard let decoded = PercentCoding.decodedText(name, plusIsSpace: true), queryNames.contains(decoded) else {
                return String(item)
            }
            missing.remove(decoded)
            return "\(name)=\(HeaderRedaction.placeholder)"
        }
        let added = addsOwn ? missing.sorted().map { "\($0)=\(HeaderRedaction.placeholder)" } : []
        let query = (url.query == nil ? added : items + added).joined(separator: "&")
        let address = "\(url.origin)\(url.path)"
        return hidingValues(in: query.isEmpty && url.query == nil ? address : "\(address)?\(query)")
    }
}
