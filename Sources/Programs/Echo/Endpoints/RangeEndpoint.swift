import ErrandHTTPServer
import HTTPTypes

extension Endpoint {
    /// `/range/N`: returns the bytes of `/bytes/N` with an entity tag, in whole or in part (RFC 9110 §13, §14).
    ///
    /// Arguments make it as unreliable as some servers are: see ``RangeResource``.
    static let range = Endpoint(
        [.get], "/range/{count}",
        summary: """
            the bytes of /bytes with ETag, Range, If-Range and If-None-Match; ?cut=BYTES ends each response after these \
            bytes, ?ranges=off ignores Range, ?version=1 is other content with another ETag
            """
    ) { head, parameters throws(ProblemDetails) in
        .reply(to: head, try RangeResource(Arguments(head, parameters)).response(to: head))
    }
}

/// Content with an entity tag, and the faults with which it is served.
struct RangeResource {
    /// The number of bytes.
    let size: Int64
    /// The position in the pattern at which the content begins; each version has its own entity tag.
    let version: Int64
    /// The number of bytes after which the connection of a response ends; `nil` for no such end.
    let cut: Int64?
    /// True if `Range` is obeyed.
    let hasRanges: Bool

    /// Reads the arguments `count`, `version`, `cut` and `ranges`.
    init(_ arguments: Arguments) throws(ProblemDetails) {
        size = try arguments.integer("count", in: 0...Endpoint.maxContentBytes)
        version = try arguments.integer("version", in: 0...PatternContent.maxVersion, default: 0)
        cut = arguments["cut"] == nil ? nil : try arguments.integer("cut", in: 0...Endpoint.maxContentBytes)
        switch arguments["ranges"] {
        case nil, "on": hasRanges = true
        case "off": hasRanges = false
        case let other: throw arguments.unusable("ranges", expected: "on or off", found: other)
        }
    }

    private var tag: EntityTag {
        EntityTag(opaque: version == 0 ? "range-\(size)" : "range-\(size)-\(version)")
    }

    /// Returns the response to a request.
    func response(to head: RequestHead) -> ServerResponse {
        var headers: HTTPFields = [.eTag: tag.description]
        if hasRanges { headers[.acceptRanges] = "bytes" }
        if let value = head.headers[.ifNoneMatch], let condition = EntityTagCondition(value),
            condition.matchesWeakly(tag)
        {
            return ServerResponse(status: .notModified, headers: headers)
        }
        // Other methods than GET ignore Range (RFC 9110 §14.2).
        let asked = head.method == .get && hasRanges ? head.headers[.range] : nil
        switch RangeSelection(range: asked, ifRange: head.headers[.ifRange], entityTag: tag, size: size) {
        case .whole:
            headers[.contentType] = "application/octet-stream"
            return ServerResponse(status: .ok, headers: headers, body: content(0..<size))
        case .part(let part):
            headers[.contentType] = "application/octet-stream"
            headers[.contentRange] = part.contentRange(size: size)
            return ServerResponse(
                status: .partialContent, headers: headers, body: content(part.offset..<part.offset + part.length))
        case .unsatisfiable:
            headers[.contentRange] = RangeSelection.unsatisfiedContentRange(size: size)
            return ServerResponse(status: .rangeNotSatisfiable, headers: headers)
        }
    }

    private func content(_ positions: Range<Int64>) -> ResponseBody {
        let shifted = positions.lowerBound + version..<positions.upperBound + version
        return .stream(PatternContent.stream(shifted, endingAfter: cut))
    }
}
