import ErrandMetrics
import Testing

@Suite("MetricsWriter")
struct MetricsWriterTests {
    private static func text(_ format: MetricsFormat, _ write: (inout MetricsWriter) -> Void) -> String {
        var writer = MetricsWriter(format)
        write(&writer)
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test("A counter has the suffix _total: in Prometheus also its family, in OpenMetrics only its samples")
    func counter() {
        let write = { (writer: inout MetricsWriter) in
            writer.family("errand_tasks_finished", kind: .counter, help: "Tasks that ended.")
            writer.sample(3, [("session", "up"), ("kind", "data")])
        }
        #expect(
            Self.text(.prometheus, write) == """
                # HELP errand_tasks_finished_total Tasks that ended.
                # TYPE errand_tasks_finished_total counter
                errand_tasks_finished_total{session="up",kind="data"} 3

                """)
        #expect(
            Self.text(.openMetrics, write) == """
                # HELP errand_tasks_finished Tasks that ended.
                # TYPE errand_tasks_finished counter
                errand_tasks_finished_total{session="up",kind="data"} 3
                # EOF

                """)
    }

    @Test("The buckets of a histogram are cumulative and end with +Inf; a value at a limit is in its bucket")
    func histogram() {
        var histogram = Histogram(limits: [0.5, 1])
        for value in [0.25, 0.5, 0.75, 4] { histogram.observe(value) }
        let text = Self.text(.prometheus) { writer in
            writer.family("errand_seconds", kind: .histogram, help: "Times.")
            writer.sample(histogram, [("session", "up")])
        }
        #expect(
            text == """
                # HELP errand_seconds Times.
                # TYPE errand_seconds histogram
                errand_seconds_bucket{session="up",le="0.5"} 2
                errand_seconds_bucket{session="up",le="1.0"} 3
                errand_seconds_bucket{session="up",le="+Inf"} 4
                errand_seconds_sum{session="up"} 5.5
                errand_seconds_count{session="up"} 4

                """)
    }

    @Test("Values of labels are escaped; in help, quotes only for OpenMetrics", arguments: MetricsFormat.allCases)
    func escaping(format: MetricsFormat) {
        let text = Self.text(format) { writer in
            writer.family("a", kind: .gauge, help: "A \"b\" \\ c\nd")
            writer.sample(1, [("l", "A \"b\" \\ c\nd\r\n\u{E9}")])
        }
        let help = format == .openMetrics ? #"A \"b\" \\ c\nd"# : #"A "b" \\ c\nd"#
        #expect(text.hasPrefix("# HELP a \(help)\n# TYPE a gauge\n"))
        #expect(text.contains("\na{l=\"A \\\"b\\\" \\\\ c\\nd\r\\n\u{E9}\"} 1\n"))
    }

    @Test("Numbers that are not finite have the words of the format")
    func numbers() {
        let text = Self.text(.openMetrics) { writer in
            writer.family("a", kind: .gauge, help: "A.")
            for value in [1.5, -0.25, Double.infinity, -Double.infinity, Double.nan] { writer.sample(value) }
        }
        #expect(text.hasSuffix("\na 1.5\na -0.25\na +Inf\na -Inf\na NaN\n# EOF\n"))
    }
}
