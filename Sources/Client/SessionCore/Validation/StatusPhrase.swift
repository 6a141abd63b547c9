import HTTPTypes

/// The reason phrases registered for status codes by RFC 9110 §15 and its extensions.
enum StatusPhrase {
    /// Returns the phrase of `status`; `nil` if it has none.
    static func of(_ status: Int) -> String? {
        phrases[status]
    }

    private static let phrases = Dictionary(
        uniqueKeysWithValues: registered.map { ($0.code, $0.reasonPhrase) })

    private static let registered: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent,
        .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect,
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
        .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone, .lengthRequired, .preconditionFailed,
        .contentTooLarge, .uriTooLong, .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed,
        .misdirectedRequest, .unprocessableContent, .tooEarly, .upgradeRequired, .preconditionRequired,
        .tooManyRequests, .requestHeaderFieldsTooLarge, .unavailableForLegalReasons,
        .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
        .httpVersionNotSupported, .networkAuthenticationRequired,
    ]
}
