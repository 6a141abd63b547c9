import SessionCore
import YAML

extension RedirectPolicy {
    static let settings = SettingGroup(
        RedirectPolicy(),
        [
            Setting(
                "mode", \.mode, .choice(),
                """
                Where redirects may lead. `follow`: anywhere, credentials and default headers stay on the origin. \
                `same_origin`: on the scheme, host and port of the URL that redirects. `refuse`: nowhere, the redirect \
                is the response.
                """),
            Setting("limit", \.limit, .integer(0...100), "The most redirects of one attempt."),
            Setting(
                "keep_method_on_301_302", \.keepsMethodOn301And302, .boolean,
                "Whether a POST stays a POST after a 301 or 302, instead of becoming a GET (RFC 9110 §15.4.2)."),
        ])
}
