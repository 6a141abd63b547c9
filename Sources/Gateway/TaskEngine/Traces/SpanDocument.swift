import ErrandJSON
import ErrandTime

/// Spans as the content of a request to a collector: an `ExportTraceServiceRequest` of OTLP in JSON.
enum SpanDocument {
    /// Returns the document.
    ///
    /// - Parameters:
    ///   - serviceName: The name of the program that made the spans (`service.name`).
    ///   - serviceVersion: Its version.
    static func bytes(of spans: [Span], serviceName: String, serviceVersion: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + spans.count * 1024)
        writer.object {
            $0.array("resourceSpans") {
                $0.object {
                    $0.member("resource")
                    $0.object {
                        $0.array("attributes") {
                            write("service.name", .text(serviceName), to: &$0)
                            write("service.version", .text(serviceVersion), to: &$0)
                        }
                    }
                    $0.array("scopeSpans") {
                        $0.object {
                            $0.member("scope")
                            $0.object {
                                $0.member("name", "errand")
                            }
                            $0.array("spans") { writer in
                                for span in spans { write(span, to: &writer) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func write(_ span: Span, to writer: inout JSONWriter) {
        writer.object {
            $0.member("traceId", span.traceID)
            $0.member("spanId", span.id)
            $0.member("parentSpanId", span.parentID)
            if !span.traceState.isEmpty { $0.member("traceState", span.traceState) }
            $0.member("name", span.name)
            $0.member("kind", span.kind.rawValue)
            $0.member("startTimeUnixNano", nanoseconds(span.start))
            $0.member("endTimeUnixNano", nanoseconds(span.end))
            $0.array("attributes") { writer in
                for attribute in span.attributes { write(attribute.name, attribute.value, to: &writer) }
            }
            guard let failure = span.failure else { return }
            $0.member("status")
            $0.object {
                $0.member("code", errorStatus)
                $0.member("message", failure)
            }
        }
    }

    /// `STATUS_CODE_ERROR`.
    private static let errorStatus = 2

    private static func write(_ name: String, _ value: Span.Value, to writer: inout JSONWriter) {
        writer.object {
            $0.member("key", name)
            $0.member("value")
            $0.object {
                // JSON has 64-bit integers as text (the JSON mapping of Protocol Buffers).
                switch value {
                case .text(let text): $0.member("stringValue", text)
                case .number(let number): $0.member("intValue", String(number))
                }
            }
        }
    }

    private static func nanoseconds(_ time: Timestamp) -> String {
        String(max(0, time.milliseconds) * 1_000_000)
    }
}
