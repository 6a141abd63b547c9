extension OpenAPIDocument {
    /// The documents with which clients create tasks.
    static let taskRequestSchemas = #"""
            TaskMembers:
              type: object
              description: The members that each task can be created with.
              properties:
                session:
                  type: [string, "null"]
                  description: The session that runs the task; by default `default_session` of the configuration.
                kind:
                  type: [string, "null"]
                  enum: [data, download, upload, null]
                  description: >-
                    `data` by default. The content of the response of a `download` is kept as it is, in a file or as a
                    body of any size. The content of an `upload` may be of any size and follow later.
                method:
                  type: [string, "null"]
                  minLength: 1
                  description: >-
                    A method that the session allows. By default POST for an upload and for a task with a `body`,
                    otherwise GET.
                path:
                  type: [string, "null"]
                  description: A URI reference that is resolved against the base URL of the session (RFC 3986).
                parameters:
                  type: [object, array, "null"]
                  description: >-
                    The input of the request serializer, which makes the query or the content of it. Only some
                    serializers take an array.
                body:
                  oneOf:
                    - $ref: "#/components/schemas/TaskBody"
                    - type: "null"
                headers: {$ref: "#/components/schemas/RequestHeaders"}
                request_serializer:
                  type: [string, "null"]
                  enum: [form, json, plist, multipart, raw, null]
                  description: By default that of the session.
                response_serializer: {$ref: "#/components/schemas/ResponseSerializers"}
                priority:
                  type: [integer, "null"]
                  minimum: 0
                  maximum: 9
                  description: A higher one comes first; 5 by default.
                ordering_key:
                  type: [string, "null"]
                  minLength: 1
                  maxLength: 255
                  description: >-
                    Tasks of the session with the same key run one at a time, in the order of their creation.
                delay:
                  description: The earliest start after the creation, up to 365 days, instead of `not_before`.
                  oneOf:
                    - $ref: "#/components/schemas/DurationText"
                    - type: "null"
                retry: {$ref: "#/components/schemas/RetryOptions"}
                download: {$ref: "#/components/schemas/DownloadOptions"}
                callback: {$ref: "#/components/schemas/CallbackOptions"}
                timeouts: {$ref: "#/components/schemas/TaskTimeouts"}
                bytes_per_second:
                  type: [integer, "null"]
                  minimum: 1024
                  maximum: 1099511627776
                  description: >-
                    The most bytes that a transfer of the task sends, and receives, in a second; no limit by default.
                labels:
                  oneOf:
                    - $ref: "#/components/schemas/Labels"
                    - type: "null"
                start:
                  type: [string, "null"]
                  enum: [now, suspended, null]
                  description: "`now` by default. A `suspended` task waits for a `resume`."
            TaskCreation:
              type: object
              description: >-
                The request that a task sends, and when and how it is sent. `null` is the same as a missing member,
                except for a member that the kind of the task does not have. Only an upload has `body.content`, and it
                needs a `body`. Only a download has `download`, and it has no response serializer. `parameters`
                exclude a `body`, and `delay` excludes `not_before`.
              allOf:
                - $ref: "#/components/schemas/TaskMembers"
              properties:
                not_before:
                  type: [string, "null"]
                  format: date-time
                  description: The earliest start, within 365 days.
                deadline:
                  type: [string, "null"]
                  format: date-time
                  description: >-
                    The time at which the task fails unless it has succeeded. It is in the future and after the
                    earliest start.
              unevaluatedProperties: false
              examples:
                - session: github
                  method: POST
                  path: repos/octocat/hello/issues
                  parameters: {title: Broken}
                  headers: {Accept: application/vnd.github+json}
                  timeouts: {connect: 5s, idle: 60s, total: 10m}
                  labels: {team: billing}
                - {session: store, kind: upload, method: PUT, path: reports/7, body: {content: later}}
                - {session: mirror, kind: download, path: data.csv, download: {destination: "{date}/{filename}"}}
            TaskRetry:
              type: object
              description: >-
                Members that replace those of the finished task. `null` removes a member. The delivery of a callback
                takes none.
              allOf:
                - $ref: "#/components/schemas/TaskMembers"
              properties:
                not_before: {type: [string, "null"], format: date-time}
                deadline: {type: [string, "null"], format: date-time}
              unevaluatedProperties: false
              examples:
                - {}
                - {priority: 9, labels: null}
            UploadForm:
              type: object
              description: A form with exactly these parts, in this order.
              additionalProperties: false
              required: [task, content]
              properties:
                task:
                  description: >-
                    The members of an upload, with at most `server.max_json` bytes, without `parameters` and `download`,
                    and without a `body` other than `{"content": "later"}`. The Content-Type of the part is
                    application/json.
                  $ref: "#/components/schemas/TaskCreation"
                content:
                  type: string
                  format: binary
                  description: >-
                    The content, with at most `server.max_content` bytes. Its Content-Type is the media type of the
                    content, unless the headers of the task have one or it is application/octet-stream.
        """#
}
