import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension RedirectPolicy {
    static let settings = SettingGroup(
        RedirectPolicy(),
        [
            Setting(
                "mode", \.mode, .choice(),
                """
                The redirects that are followed. `follow`: all; credentials and default headers are sent to the \
                origin only. `same_origin`: those to the scheme, host and port of the redirecting URL. `refuse`: \
                none; the redirect is the response.
                """),
            Setting("limit", \.limit, .integer(0...100), "The most redirects of one attempt."),
            Setting(
                "keep_method_on_301_302", \.keepsMethodOn301And302, .boolean,
                "If true, a POST remains a POST after a 301 or 302 instead of becoming a GET (RFC 9110 §15.4.2)."),
        ],
        shorthand: "mode")
}
