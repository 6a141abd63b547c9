import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

extension TaskServices {
    /// Returns the response with a task.
    ///
    /// Not inlined, because its values would become a part of the frame of a function that suspends.
    ///
    /// - Parameter isNew: True if the request has created the task, so that the response names its location. A 202
    ///   always does.
    @inline(never)
    func response(
        _ record: TaskRecord, status: HTTPResponse.Status, isNew: Bool = false, members: TaskMembers = .all,
        details: TaskDetails = TaskDetails()
    ) -> ServerResponse {
        let live = liveState(of: record, showing: members)
        var headers = HTTPFields()
        // Room for the location and for the request id.
        headers.reserveCapacity(6)
        headers.append(HTTPField(name: .contentType, value: "application/json"))
        headers.append(HTTPField(name: .eTag, value: record.entityTag.description))
        headers.append(HTTPField(name: .vary, value: "Prefer"))
        headers.append(HTTPField(name: .cacheControl, value: "no-cache"))
        if isNew || status == .accepted { headers[.location] = "/v1/tasks/\(record.id)" }
        let document = document(of: record, live: live, members: members, details: details)
        return ServerResponse(
            status: status, headers: headers,
            body: .bytes(
                document, orShort: { TaskRenderer.bytes(of: record, live: live, view: .full, members: .short) }))
    }
}

extension TaskRecord {
    /// The entity tag of the task, which changes with each stored change.
    var entityTag: EntityTag {
        EntityTag(opaque: "r\(revision)")
    }
}

extension ServerResponse {
    /// Creates a response with a JSON document that caches must revalidate.
    init(json: [UInt8], status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-cache"], body: .bytes(json))
    }

    /// The response 304 in place of this one.
    ///
    /// The server does not send the content with this status, but uses it for Content-Length.
    var notModified: ServerResponse {
        var response = self
        response.status = .notModified
        response.headers[.contentType] = nil
        return response
    }
}
