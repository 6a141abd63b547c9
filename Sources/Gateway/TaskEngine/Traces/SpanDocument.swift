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
            $0.list("resourceSpans") {
                $0.object {
                    $0.member("resource")
                    $0.object {
                        $0.list("attributes") {
                            write("service.name", .text(serviceName), to: &$0)
                            write("service.version", .text(serviceVersion), to: &$0)
                        }
                    }
                    $0.list("scopeSpans") {
                        $0.object {
                            $0.member("scope")
                            $0.object {
                                $0.member("name")
                                $0.string("errand")
                            }
                            $0.list("spans") { writer in
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
            $0.text("traceId", span.traceID)
            $0.text("spanId", span.id)
            $0.text("parentSpanId", span.parentID)
            if !span.traceState.isEmpty { $0.text("traceState", span.traceState) }
            $0.text("name", span.name)
            $0.member("kind")
            $0.int(span.kind.rawValue)
            $0.text("startTimeUnixNano", nanoseconds(span.start))
            $0.text("endTimeUnixNano", nanoseconds(span.end))
            $0.list("attributes") { writer in
                for attribute in span.attributes { write(attribute.name, attribute.value, to: &writer) }
            }
            guard let failure = span.failure else { return }
            $0.member("status")
            $0.object {
                $0.member("code")
                $0.int(errorStatus)
                $0.text("message", failure)
            }
        }
    }

    /// `STATUS_CODE_ERROR`.
    private static let errorStatus = 2

    private static func write(_ name: String, _ value: Span.Value, to writer: inout JSONWriter) {
        writer.object {
            $0.text("key", name)
            $0.member("value")
            $0.object {
                // JSON has 64-bit integers as text (the JSON mapping of Protocol Buffers).
                switch value {
                case .text(let text): $0.text("stringValue", text)
                case .number(let number): $0.text("intValue", String(number))
                }
            }
        }
    }

    private static func nanoseconds(_ time: Timestamp) -> String {
        String(max(0, time.milliseconds) * 1_000_000)
    }
}

extension JSONWriter {
    fileprivate mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    fileprivate mutating func list(_ name: StaticString, _ items: (inout JSONWriter) -> Void) {
        member(name)
        beginArray()
        items(&self)
        endArray()
    }

    fileprivate mutating func text(_ name: StaticString, _ value: String) {
        member(name)
        string(value)
    }
}
