extension OpenAPIDocument {
    /// The parts of the document of a task.
    static let taskDetailSchemas = #"""
            TaskRequest:
              type: object
              description: The request, without secrets, which are `[redacted]`.
              required: [method, url, headers, body_size, curl]
              properties:
                method: {type: string}
                url: {type: string}
                headers: {$ref: "#/components/schemas/HeaderFields"}
                body_size:
                  type: [integer, "null"]
                  description: The number of bytes of the content; null if it is unknown.
                curl: {type: [string, "null"], description: A command that sends the request.}
            UnreadableDocument:
              type: object
              description: A document that is sealed with a missing key.
              required: [unreadable]
              properties:
                unreadable: {type: string, description: The reason.}
            HeaderFields:
              type: object
              description: Header fields. One that occurs more than once has an array.
              additionalProperties:
                oneOf:
                  - type: string
                  - {type: array, items: {type: string}}
            TaskContent:
              description: >-
                The content of an upload that its client sends separately: awaited, stored, or passed on while it
                arrived.
              oneOf:
                - type: object
                  required: [awaited_until]
                  properties:
                    awaited_until: {$ref: "#/components/schemas/Timestamp"}
                - type: object
                  required: [size, sha256]
                  properties:
                    size: {type: integer, minimum: 0}
                    sha256: {$ref: "#/components/schemas/SHA256"}
                - type: object
                  required: [size, complete]
                  properties:
                    size:
                      type: integer
                      minimum: 0
                      description: The number of bytes that the last attempt has taken.
                    complete: {type: boolean, description: True if that was all of the content.}
            SHA256:
              type: string
              description: A SHA-256 in hexadecimal digits.
              pattern: "^[0-9a-f]{64}$"
            TaskProgress:
              type: object
              description: The bytes of the current transfer, and after the end those of the result.
              required: [upload, download]
              properties:
                upload: {$ref: "#/components/schemas/TransferProgress"}
                download: {$ref: "#/components/schemas/TransferProgress"}
            TransferProgress:
              type: object
              required: [completed, total, fraction, bytes_per_second, time_left]
              properties:
                completed: {type: integer, minimum: 0}
                total: {type: [integer, "null"]}
                fraction: {type: [number, "null"]}
                bytes_per_second: {type: [integer, "null"]}
                time_left:
                  type: [string, "null"]
                  description: The time until `total` at this rate.
                  examples: [42s]
            TaskAttempt:
              type: object
              required: [number, started_at, finished_at, status, error, metrics]
              properties:
                number: {type: integer, minimum: 1}
                span_id: {type: string, description: The identifier of the attempt in the trace of its task.}
                started_at: {$ref: "#/components/schemas/Timestamp"}
                finished_at:
                  description: Null, with status and metrics, if the gateway ended during the attempt.
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                status: {type: [integer, "null"], description: The status of the response.}
                error:
                  oneOf:
                    - $ref: "#/components/schemas/TaskError"
                    - type: "null"
                metrics:
                  oneOf:
                    - $ref: "#/components/schemas/TaskMetrics"
                    - type: "null"
            TaskMetrics:
              type: object
              description: >-
                Times are in milliseconds since the start of the attempt, and null for steps that were not reached.
              required:
                [name_lookup_ms, connect_ms, tls_ms, request_sent_ms, first_byte_ms, total_ms, bytes_sent,
                 bytes_received, http_version, remote_address, connection_reused, tls]
              properties:
                name_lookup_ms: {type: [number, "null"]}
                connect_ms: {type: [number, "null"]}
                tls_ms: {type: [number, "null"]}
                request_sent_ms: {type: [number, "null"]}
                first_byte_ms: {type: [number, "null"]}
                total_ms: {type: number}
                bytes_sent: {type: integer, minimum: 0}
                bytes_received: {type: integer, minimum: 0}
                http_version: {type: [string, "null"]}
                remote_address: {type: [string, "null"]}
                connection_reused: {type: boolean}
                tls:
                  oneOf:
                    - $ref: "#/components/schemas/TaskTLS"
                    - type: "null"
            TaskTLS:
              type: object
              required: [version, cipher, pin, certificates]
              properties:
                version: {type: [string, "null"]}
                cipher: {type: [string, "null"]}
                pin: {type: [string, "null"], description: The pin that matched.}
                certificates:
                  type: array
                  items:
                    type: object
                    required: [subject, sha256, public_key, expires_at]
                    properties:
                      subject: {type: string}
                      sha256: {type: string}
                      public_key: {type: string}
                      expires_at: {$ref: "#/components/schemas/Timestamp"}
            TaskResponse:
              type: object
              required: [status, reason, http_version, headers, url, redirects, serializer, object, body]
              properties:
                status: {type: integer}
                reason: {type: string}
                http_version: {type: string}
                headers: {$ref: "#/components/schemas/HeaderFields"}
                url: {type: string, description: "The URL after redirects, without secrets."}
                redirects: {type: integer, minimum: 0}
                serializer: {$ref: "#/components/schemas/ResponseSerializer"}
                file:
                  type: object
                  description: The file below `files.downloads` that the content became.
                  required: [path, size]
                  properties:
                    path: {type: string}
                    size: {type: integer, minimum: 0}
                object:
                  description: >-
                    The result of the response serializer, any JSON value; null without one, or if it is too large.
                object_omitted: {type: boolean, const: true, description: The object is too large.}
                body:
                  description: The content; null without one.
                  oneOf:
                    - $ref: "#/components/schemas/TaskResponseBody"
                    - type: "null"
            TaskResponseBody:
              type: object
              required: [size, sha256, content_type, href]
              properties:
                size: {type: integer, minimum: 0}
                sha256: {$ref: "#/components/schemas/SHA256"}
                content_type: {type: [string, "null"]}
                href: {type: string, format: uri-reference}
            TaskResume:
              type: object
              description: The part of a download that its next attempt, or its retry, does not request again.
              required: [available, bytes]
              properties:
                available: {type: boolean}
                bytes: {type: integer, minimum: 0}
            TaskTrace:
              type: object
              required: [trace_id, parent_id, sampled, state]
              properties:
                trace_id: {type: string}
                parent_id: {type: string}
                sampled: {type: boolean}
                state: {type: [string, "null"], description: The field tracestate.}
            TaskCallback:
              type: object
              required: [url, session, states]
              properties:
                url: {type: string}
                session: {type: [string, "null"]}
                states:
                  type: array
                  items: {type: string, enum: [succeeded, failed, canceled]}
                delivery: {$ref: "#/components/schemas/TaskDelivery"}
            TaskDelivery:
              type: object
              description: The last delivery of a callback. Only the document of a single task has it.
              required: [id, state, attempts, next_attempt_at, error]
              properties:
                id: {$ref: "#/components/schemas/TaskID"}
                state: {type: string, enum: [pending, delivered, failed]}
                attempts: {type: integer, minimum: 0}
                next_attempt_at:
                  oneOf:
                    - $ref: "#/components/schemas/Timestamp"
                    - type: "null"
                error:
                  oneOf:
                    - $ref: "#/components/schemas/TaskError"
                    - type: "null"
            TaskLinks:
              type: object
              description: The paths of the task and of the operations that its state allows.
              required: [self, events]
              properties:
                self: {type: string, format: uri-reference}
                events: {type: string, format: uri-reference}
                cancel: {type: string, format: uri-reference}
                suspend: {type: string, format: uri-reference}
                resume: {type: string, format: uri-reference}
                run_now: {type: string, format: uri-reference}
                content: {type: string, format: uri-reference}
                retry: {type: string, format: uri-reference}
                body: {type: string, format: uri-reference}
            TaskError:
              type: object
              required: [domain, code, number, message, retryable, underlying]
              properties:
                domain: {type: string, enum: [transport, tls, request, response, file, policy, gateway]}
                code: {$ref: "#/components/schemas/TaskErrorCode"}
                number: {type: [integer, "null"]}
                message: {type: string, description: "A text for people, which may change."}
                retryable: {type: boolean}
                may_have_arrived:
                  type: boolean
                  const: true
                  description: The upstream may have received the request.
                not_retried:
                  type: string
                  enum: [may_have_arrived, status, attempts, time, deadline, after_crash]
                  description: The reason for which a task made no other attempt that might have succeeded.
                underlying:
                  oneOf:
                    - $ref: "#/components/schemas/TaskError"
                    - type: "null"
                body:
                  type: string
                  format: uri-reference
                  description: >-
                    The path of the content that the upstream has sent with the response that failed the task.
              examples:
                - domain: response
                  code: unacceptable_status
                  number: -1011
                  message: The status 404 is not acceptable
                  retryable: false
                  underlying: null
            TaskErrorCode:
              type: string
              enum:
                - timed_out
                - cannot_find_host
                - cannot_connect
                - connection_lost
                - not_connected
                - too_many_redirects
                - bad_url
                - unsupported_url
                - authentication_failed
                - body_stream_exhausted
                - bad_content_encoding
                - cannot_parse_response
                - body_too_large
                - transport_error
                - secure_connection_failed
                - certificate_expired
                - certificate_not_yet_valid
                - host_mismatch
                - pin_mismatch
                - revoked
                - untrusted_root
                - client_certificate_rejected
                - client_certificate_required
                - unserializable_parameters
                - file_not_found
                - bad_file
                - unacceptable_status
                - unacceptable_content_type
                - unparsable_body
                - cannot_create
                - cannot_write
                - cannot_move
                - exists
                - checksum_mismatch
                - disk_full
                - egress_denied
                - url_out_of_scope
                - redirect_refused
                - method_not_allowed
                - hook_failed
                - canceled
                - deadline_exceeded
                - content_missing
                - content_incomplete
                - interrupted
                - session_closed
                - internal
        """#
}
