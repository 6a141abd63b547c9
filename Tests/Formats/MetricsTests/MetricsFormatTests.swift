import ErrandMetrics
import Testing

@Suite("MetricsFormat")
struct MetricsFormatTests {
    @Test(
        "OpenMetrics is selected if the client names it, in version 1.0.0, and prefers nothing else",
        arguments: [
            (nil, .prometheus), ("", .prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/json", .prometheus), ("application/openmetrics-text", .openMetrics),
            ("Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", .openMetrics),
            ("application/openmetrics-text; version=\"1.0.0\"", .openMetrics),
            ("application/openmetrics-text; version=2.0.0", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x", .prometheus),
            ("application/openmetrics-text;q=0.4, text/plain;q=0.5", .prometheus),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
                    + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", .openMetrics
            ),
            (";,;;", .prometheus),
            // Neither a comma nor a semicolon in a string separates anything.
            (#"text/plain;note="a,application/openmetrics-text;version=1.0.0,b""#, .prometheus),
            (#"application/openmetrics-text;note=";q=0,text/plain;q=1""#, .openMetrics),
            (#"application/openmetrics-text;note="a\",b;q=0";q=0.5, text/plain;q=0.4"#, .openMetrics),
            (#"application/openmetrics-text;note="a"#, .prometheus),
        ] as [(String?, MetricsFormat)])
    func selection(accept: String?, format: MetricsFormat) {
        #expect(MetricsFormat(accept: accept) == format)
    }

    @Test("Each format names itself and its version")
    func contentTypes() {
        #expect(MetricsFormat.prometheus.contentType.hasPrefix("text/plain; version=0.0.4;"))
        #expect(MetricsFormat.openMetrics.contentType.hasPrefix("application/openmetrics-text; version=1.0.0;"))
    }
}
