import ErrandDownloads
import ErrandJSON
import ErrandResponseSerialization
import ErrandSessionCore

/// The member `download` of a task: the file that the content of its response becomes.
struct DownloadSpecification: Sendable, Hashable {
    /// The destination of the file; `nil` if the content becomes the body of the task.
    var destination: DestinationTemplate?
    /// The action if the destination exists.
    var onConflict = DownloadConflict.fail
    /// The digest that the content must have; `nil` for any.
    var checksum: DownloadChecksum?
    /// The maximum number of connections.
    var connections = 1
    /// The maximum number of bytes; `nil` for no limit but the disk's.
    var maxBytes: Int64?

    /// Reads the member.
    ///
    /// - Returns: A download without a destination if the member is missing.
    static func read(_ task: inout JSONObjectReader) -> DownloadSpecification {
        var specification = DownloadSpecification()
        guard var object = task.object("download") else { return specification }
        if let text = object.string("destination") {
            do throws(DestinationProblem) {
                specification.destination = try DestinationTemplate(text)
            } catch {
                object.report("destination", "the destination \(error)")
            }
        }
        specification.onConflict = object.choice("on_conflict", DownloadConflict.self) ?? .fail
        if object.says("on_conflict"), !object.says("destination") {
            object.report("on_conflict", "only a download with a destination can meet another file; add destination")
        }
        specification.checksum = checksum(&object)
        specification.maxBytes = object.integer("max_bytes", in: 1...1 << 50).map { Int64($0) }
        specification.connections = object.integer("connections", in: DownloadOptions.connectionCounts) ?? 1
        if specification.connections > 1, !object.says("destination") {
            object.report(
                "connections", "only a download with a destination can use several connections; add destination")
        }
        object.finish(refusing: Self.refused)
        return specification
    }

    /// Reads the expected digest, of which there is at most one.
    private static func checksum(_ object: inout JSONObjectReader) -> DownloadChecksum? {
        var checksum: DownloadChecksum?
        for algorithm in DownloadChecksum.Algorithm.allCases {
            let name = algorithm.rawValue
            let expected = "\(algorithm.digitCount) hexadecimal digits"
            let found = object.parsed(name, expecting: expected) { value -> DownloadChecksum? in
                guard let text = value.string else { return nil }
                let checksum = DownloadChecksum(algorithm, text)
                return checksum.bytes == nil ? nil : checksum
            }
            guard let found else { continue }
            if let first = checksum?.algorithm.rawValue {
                object.report(name, "a download has one digest, and there is \(first) already; remove this member")
            }
            checksum = checksum ?? found
        }
        return checksum
    }

    private static let refused = [
        "url": "use path of the task, which may be an absolute URL if the session allows it (url_scope)"
    ]

    /// Returns the request of the download: its content is received as it is, whatever its size.
    ///
    /// - Parameters:
    ///   - request: The request as the client has described it.
    ///   - configuration: The rules of the session.
    func applied(to request: TaskRequest, under configuration: ResponseConfiguration) -> TaskRequest {
        var request = request
        _ = request.becomeDownload(under: configuration)
        if destination == nil { request.maxBodyBytes = maxBytes ?? Int64.max }
        return request
    }
}
