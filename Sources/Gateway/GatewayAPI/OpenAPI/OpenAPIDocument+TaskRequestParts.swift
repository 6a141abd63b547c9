extension OpenAPIDocument {
    /// The parts of the documents of clients, changes and options.
    static let taskRequestPartSchemas = #"""
            TaskBody:
              type: object
              description: Literal content, in exactly one form.
              additionalProperties: false
              properties:
                text:
                  type: [string, "null"]
                  description: Text, which is sent in UTF-8.
                base64:
                  type: [string, "null"]
                  contentEncoding: base64
                  description: Bytes.
                json:
                  description: Any JSON value, which is sent byte for byte.
                file:
                  type: [string, "null"]
                  description: The relative name of a file below `files.uploads`.
                parts:
                  type: [array, "null"]
                  description: The parts of a form (`multipart/form-data`).
                  minItems: 1
                  items: {$ref: "#/components/schemas/TaskBodyPart"}
                content:
                  type: [string, "null"]
                  description: >-
                    The content of an upload follows with PUT /v1/tasks/{id}/content. It is stored (`later`), or
                    passed on as it arrives (`stream`).
                  enum: [later, stream, null]
            TaskBodyPart:
              type: object
              description: A part of a form, with exactly one of `text`, `base64` and `file`.
              additionalProperties: false
              required: [name]
              properties:
                name: {type: string}
                filename: {type: [string, "null"], description: By default the name of the file.}
                content_type: {type: [string, "null"], description: By default that of the extension of the file.}
                headers: {$ref: "#/components/schemas/RequestHeaders"}
                text: {type: [string, "null"]}
                base64: {type: [string, "null"], contentEncoding: base64}
                file: {type: [string, "null"], description: The relative name of a file below `files.uploads`.}
            RequestHeaders:
              type: [object, "null"]
              description: Header fields, which replace those of the session; `null` removes a field.
              additionalProperties: {type: [string, "null"]}
            ResponseSerializers:
              description: >-
                A response serializer, or alternatives that are tried in order; by default that of the session.
              oneOf:
                - $ref: "#/components/schemas/ResponseSerializer"
                - type: array
                  minItems: 1
                  uniqueItems: true
                  items: {$ref: "#/components/schemas/ResponseSerializer"}
                - type: "null"
            ResponseSerializer:
              type: string
              enum: [json, xml, plist, text, image, raw, auto]
            DownloadOptions:
              type: [object, "null"]
              description: >-
                The file that the content of the response becomes; without a destination it is the body of the task. The
                content must have the digest, of which there is at most one.
              additionalProperties: false
              properties:
                destination:
                  type: [string, "null"]
                  minLength: 1
                  maxLength: 1024
                  description: >-
                    A path below `files.downloads`. `{task_id}`, `{session}`, `{date}` and `{filename}` are replaced.
                on_conflict:
                  type: [string, "null"]
                  enum: [overwrite, rename, fail, null]
                  description: The action if the destination exists; `fail` by default. It needs a destination.
                sha512: {type: [string, "null"], pattern: "^[0-9A-Fa-f]{128}$"}
                sha256: {type: [string, "null"], pattern: "^[0-9A-Fa-f]{64}$"}
                sha1: {type: [string, "null"], pattern: "^[0-9A-Fa-f]{40}$"}
                md5:
                  type: [string, "null"]
                  pattern: "^[0-9A-Fa-f]{32}$"
                max_bytes:
                  type: [integer, "null"]
                  minimum: 1
                  maximum: 1125899906842624
                  description: The size limit.
                connections:
                  type: [integer, "null"]
                  minimum: 1
                  maximum: 16
                  description: The maximum number of connections, 1 by default. More than one needs a destination.
            RetryOptions:
              type: [object, "null"]
              description: Differences from the retry policy of the session.
              additionalProperties: false
              properties:
                max_attempts:
                  type: [integer, "null"]
                  minimum: 1
                  maximum: 1000
                  description: The maximum number of attempts, with the first one.
                backoff:
                  type: [object, "null"]
                  description: The pauses between attempts.
                  additionalProperties: false
                  properties:
                    initial:
                      description: From 1 ms to 24 h, and at most `max`.
                      oneOf:
                        - $ref: "#/components/schemas/DurationText"
                        - type: "null"
                    multiplier: {type: [number, "null"], minimum: 1, maximum: 100}
                    max:
                      description: From 1 ms to 31 days.
                      oneOf:
                        - $ref: "#/components/schemas/DurationText"
                        - type: "null"
                    jitter: {type: [number, "null"], minimum: 0, maximum: 1}
                max_elapsed:
                  description: The time for all attempts, from 1 ms to 365 days.
                  oneOf:
                    - $ref: "#/components/schemas/DurationText"
                    - type: "null"
                methods:
                  type: [array, "null"]
                  description: The methods whose requests may be sent again, without CONNECT.
                  items: {type: string, minLength: 1}
                statuses:
                  type: [array, "null"]
                  description: The statuses that are retried.
                  items:
                    oneOf:
                      - {type: integer, minimum: 100, maximum: 999}
                      - {type: string, pattern: "^[1-9](xx|[0-9]{2}(-[1-9][0-9]{2})?)$"}
                  examples: [[429, 5xx, 500-504]]
                respect_retry_after: {type: [boolean, "null"]}
                after_crash: {type: [string, "null"], enum: [safe, resend, fail, null]}
            TaskTimeouts:
              type: [object, "null"]
              description: Time limits of an attempt, from 1 ms to 31 days; by default those of the session.
              additionalProperties: false
              properties:
                connect:
                  oneOf:
                    - $ref: "#/components/schemas/DurationText"
                    - type: "null"
                idle:
                  oneOf:
                    - $ref: "#/components/schemas/DurationText"
                    - type: "null"
                total:
                  oneOf:
                    - $ref: "#/components/schemas/DurationText"
                    - type: "null"
            CallbackOptions:
              type: [object, "null"]
              description: The receiver of a message about the end of the task.
              additionalProperties: false
              required: [url]
              properties:
                url: {type: string, description: "An absolute URL, or a reference that `session` resolves."}
                session:
                  type: [string, "null"]
                  description: The session that sends the message; a built-in one by default.
                states:
                  type: [array, "null"]
                  description: The states that cause a message; all by default.
                  minItems: 1
                  items: {type: string, enum: [succeeded, failed, canceled]}
            TaskEdit:
              type: object
              description: A merge patch (RFC 7396). `null` removes the value.
              additionalProperties: false
              properties:
                priority:
                  type: [integer, "null"]
                  minimum: 0
                  maximum: 9
                  description: "`null` restores the default, 5."
                not_before:
                  type: [string, "null"]
                  format: date-time
                  description: The earliest start, within 365 days.
                deadline:
                  type: [string, "null"]
                  format: date-time
                  description: The time at which the task fails unless it has succeeded.
                bytes_per_second: {type: [integer, "null"], minimum: 1024, maximum: 1099511627776}
                labels:
                  type: [object, "null"]
                  description: Labels to be set; `null` removes a label. A `null` in place of the object removes all.
                  propertyNames: {minLength: 1, maxLength: 256}
                  additionalProperties: {type: [string, "null"], maxLength: 256}
              examples:
                - {priority: 9, labels: {team: billing, old: null}}
            CancelOptions:
              type: object
              additionalProperties: false
              properties:
                keep_resume_data:
                  type: [boolean, "null"]
                  description: Keeps the partial file of a download, which a retry continues; false by default.
            NoOptions:
              type: object
              description: The call has no options.
              additionalProperties: false
        """#
}
