import ErrandHTTPGrammar
import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML
import HTTPTypes

extension SettingType where Value == HTTPURL {
    /// The type of an absolute `http` or `https` URL without credentials and without a fragment.
    static var url: SettingType {
        absoluteURL(ScalarShape(label: "absolute URL, http or https", expectation: "an absolute http or https URL"))
    }

    /// The type of a URL against which others are resolved, which replace its query (RFC 3986 §5.2.2).
    static var baseURL: SettingType {
        let shape = ScalarShape(
            label: "absolute URL without a query, http or https", expectation: "an absolute http or https URL")
        return absoluteURL(shape) { url in
            guard url.query != nil else { return nil }
            return """
                expected a URL without a query: the path of a task replaces it; write it in the path or the \
                parameters of each task, and a key in credentials, as {api_key: {query: …, value: …}}
                """
        }
    }

    /// Returns the type of an absolute URL.
    ///
    /// - Parameter reasonToRefuse: Returns the reason to refuse a URL that is valid in itself; `nil` to accept it.
    private static func absoluteURL(
        _ shape: ScalarShape, reasonToRefuse: @escaping @Sendable (HTTPURL) -> String? = { _ in nil }
    ) -> SettingType {
        .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                let url: HTTPURL
                do throws(HTTPURLError) {
                    url = try HTTPURL(text)
                } catch {
                    let end = Remedy.url(text).map { "; \($0)" } ?? ""
                    throw .because(
                        "expected \(shape.expectation): \(error.descriptionWithoutScheme)",
                        quoting: "expected \(shape.expectation): \(error)\(end)")
                }
                guard !text.utf8.contains(UInt8(ascii: "#")) else {
                    throw .because("expected a URL without a fragment, which is never sent; remove # and what follows")
                }
                if let reason = reasonToRefuse(url) { throw .because(reason) }
                return url
            },
            format: { .text($0.string) })
    }
}

extension SettingType where Value == String {
    /// The type of a header field value.
    static var headerValue: SettingType {
        .text("text") { RequestHeaderRules.reasonToRefuse(value: $0) }
    }
}

extension SettingType where Value == HTTPRequest.Method {
    /// The type of a method.
    ///
    /// The value is in upper case.
    static var method: SettingType { method { $0 == .connect ? RequestMethodRules.reasonToRefuse($0) : nil } }

    /// The type of a method that a session may allow.
    ///
    /// The value is in upper case.
    static var methodOfTasks: SettingType { method(reasonToRefuse: RequestMethodRules.reasonToRefuse) }

    private static func method(
        reasonToRefuse: @escaping @Sendable (HTTPRequest.Method) -> String?
    ) -> SettingType {
        .scalar(
            ScalarShape(label: "method", expectation: "a method such as GET"),
            parse: { text throws(ScalarRefusal) in
                guard let method = HTTPRequest.Method(text.uppercased()) else { throw .unexpected }
                if let reason = reasonToRefuse(method) { throw .because(reason) }
                return method
            },
            format: { .text($0.rawValue) })
    }
}

extension SettingType where Value == MediaRange {
    /// The type of a content type, optionally with `*`.
    static var mediaRange: SettingType {
        .scalar(
            ScalarShape(label: "content type", expectation: "a content type such as application/json or text/*"),
            parse: { text throws(ScalarRefusal) in
                guard let range = MediaRange(text) else { throw .unexpected }
                return range
            },
            format: { .text($0.description) })
    }
}

extension SettingType where Value == ClosedRange<Int> {
    /// The type of a status code, or of a class or range of status codes.
    static var statusRange: SettingType {
        .scalar(
            ScalarShape(
                label: "status, class or range",
                expectation: "a status such as 204, a class such as 5xx or a range such as 200-299, from 100 to 999",
                constraint: .pattern("^[1-9](xx|[0-9]{2}(-[1-9][0-9]{2})?)$", orInteger: true)),
            remedy: { Remedy.statuses($0) },
            parse: { text throws(ScalarRefusal) in
                guard let range = StatusText.parse(text) else { throw .unexpected }
                return range
            },
            format: { range in
                .plain(range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)")
            })
    }
}

extension SettingType where Value == HTTPField.Name {
    /// The type of a header field name that a request may set.
    static var headerName: SettingType {
        .scalar(
            ScalarShape(label: "header name", expectation: "a header name such as X-Api-Key"),
            parse: { text throws(ScalarRefusal) in
                guard let name = HTTPField.Name(text) else { throw .unexpected }
                if let reason = RequestHeaderRules.reasonToRefuse(name) { throw .because(reason) }
                return name
            },
            format: { .text($0.rawName) })
    }
}
