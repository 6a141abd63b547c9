import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandText
import ErrandTime
import ErrandTransfer

/// An item of the `attempts` member of a task.
enum AttemptDocument {
    /// Returns the item for an attempt that ended.
    ///
    /// - Parameter span: The identifier of the attempt in the trace of its task; `nil` for a task without a trace.
    static func ended(
        number: Int, span: String?, startedAt: Timestamp, finishedAt: Timestamp, status: Int?, error: SessionError?,
        metrics: TransferMetrics
    ) -> [UInt8] {
        write(number: number, span: span, startedAt: startedAt) { writer in
            writer.member("finished_at", finishedAt)
            writer.member("status", status)
            writer.member("error")
            if let error { TaskErrorDocument.write(error, to: &writer) } else { writer.null() }
            writer.member("metrics")
            write(metrics, to: &writer)
        }
    }

    /// Returns the item for an attempt whose end is unknown, because the process ended before.
    static func lost(number: Int, span: String?, startedAt: Timestamp, error: [UInt8]) -> [UInt8] {
        write(number: number, span: span, startedAt: startedAt) { writer in
            writer.member("finished_at")
            writer.null()
            writer.member("status")
            writer.null()
            writer.member("error")
            writer.raw(error)
            writer.member("metrics")
            writer.null()
        }
    }

    private static func write(
        number: Int, span: String?, startedAt: Timestamp, rest: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("number", number)
        if let span {
            writer.member("span_id", span)
        }
        writer.member("started_at", startedAt)
        rest(&writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes times in milliseconds since the start of the attempt, `null` for steps that were not reached.
    private static func write(_ metrics: TransferMetrics, to writer: inout JSONWriter) {
        writer.beginObject()
        let times: [(StaticString, Duration?)] = [
            ("name_lookup_ms", metrics.nameLookup), ("connect_ms", metrics.connect), ("tls_ms", metrics.tlsHandshake),
            ("request_sent_ms", metrics.requestSent), ("first_byte_ms", metrics.firstByte), ("total_ms", metrics.total),
        ]
        for (name, time) in times {
            writer.member(name)
            writer.double(time.map { Double($0.wholeMicroseconds) / 1000 })
        }
        writer.member("bytes_sent", metrics.bytesSent)
        writer.member("bytes_received", metrics.bytesReceived)
        writer.member("http_version", metrics.httpVersion)
        writer.member("remote_address", metrics.remoteAddress)
        writer.member("connection_reused", metrics.connectionReused)
        writer.member("tls")
        if let tls = metrics.tls { write(tls, to: &writer) } else { writer.null() }
        writer.endObject()
    }

    private static func write(_ tls: TLSMetrics, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, text) in [("version", tls.version), ("cipher", tls.cipher), ("pin", tls.matchedPin)] {
            writer.member(name, text)
        }
        writer.member("certificates")
        writer.beginArray()
        for certificate in tls.certificates {
            writer.beginObject()
            writer.member("subject", certificate.subject)
            writer.member("sha256", Hexadecimal.encode(certificate.sha256))
            writer.member("public_key", certificate.publicKeyPin)
            writer.member("expires_at", moment(certificate.notAfter))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Returns a time in seconds since 1970, clamped to the valid range: a certificate may contain any year.
    private static func moment(_ seconds: Int64) -> Timestamp {
        let shown = Timestamp.earliest.milliseconds / 1000...Timestamp.latest.milliseconds / 1000
        return Timestamp(milliseconds: min(max(seconds, shown.lowerBound), shown.upperBound) * 1000)
    }
}
