extension OpenAPIDocument {
    /// The schemas of batches and bulk calls.
    static let bulkSchemas = #"""
            BatchRequest:
              type: object
              required: [tasks]
              additionalProperties: false
              properties:
                tasks:
                  type: array
                  description: The tasks, at most `server.max_batch` (1000 by default).
                  minItems: 1
                  items: {$ref: "#/components/schemas/BatchItem"}
              examples:
                - tasks:
                    - {session: github, path: /user, idempotency_key: import-1}
                    - {session: github, path: /emojis, idempotency_key: import-2}
            BatchItem:
              type: object
              description: The members of `TaskCreation`, with its rules, and `idempotency_key`.
              allOf:
                - {$ref: "#/components/schemas/TaskMembers"}
              properties:
                idempotency_key:
                  type: [string, "null"]
                  description: The key of the item, of printable characters of ASCII, in place of `Idempotency-Key`.
                  minLength: 1
                  maxLength: 255
                  pattern: "^[ -~]+$"
                not_before: {type: [string, "null"], format: date-time}
                deadline: {type: [string, "null"], format: date-time}
              unevaluatedProperties: false
            BatchResult:
              type: object
              required: [results]
              properties:
                results:
                  type: array
                  description: The outcomes, in the order of the tasks of the request.
                  items: {$ref: "#/components/schemas/BatchItemResult"}
              examples:
                - results:
                    - status: 422
                      problem:
                        type: /problems/invalid-task
                        title: The task is not valid
                        status: 422
                        detail: the document has an error
                        errors: [{pointer: /session, detail: 'unknown session "githab"; did you mean "github"?'}]
            BatchItemResult:
              type: object
              required: [status]
              properties:
                status:
                  type: integer
                  description: >-
                    202 if the task was created, 200 if its key has created it before, otherwise the status of the
                    problem.
                idempotent_replayed:
                  type: boolean
                  const: true
                  description: True if the key of the item has created the task before; missing otherwise.
                task:
                  description: |
                    The task in the form of lists, or what remains of a task that was removed; missing if there is a
                    problem. If too many bytes of responses wait for clients (`server.max_unsent`), a task has only its
                    `id`.
                  anyOf:
                    - {$ref: "#/components/schemas/Task"}
                    - {$ref: "#/components/schemas/RemovedTask"}
                    - {$ref: "#/components/schemas/TaskFields"}
                problem:
                  description: |
                    The reason for which the task was not created. It has neither `instance` nor `request_id`, and may
                    have `retry_after`. Missing if there is a task, or if too many bytes of responses wait for clients.
                  $ref: "#/components/schemas/Problem"
            BulkSelection:
              type: object
              description: |
                Either `ids` or filters, at least one. A task must match all filters. `null` is the same as no member.
              properties:
                ids:
                  type: [array, "null"]
                  description: The identifiers of the tasks, instead of filters. Unknown ones are left out.
                  maxItems: 1000
                  items: {$ref: "#/components/schemas/TaskID"}
                state:
                  description: A state, or a list of states.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskState"}
                    - type: array
                      minItems: 1
                      maxItems: 1000
                      items: {$ref: "#/components/schemas/TaskState"}
                    - {type: "null"}
                session:
                  description: The name of a session, or a list of names.
                  oneOf:
                    - {type: string}
                    - {type: array, minItems: 1, maxItems: 1000, items: {type: string}}
                    - {type: "null"}
                kind:
                  oneOf:
                    - {$ref: "#/components/schemas/TaskKind"}
                    - {type: "null"}
                parent:
                  description: The task of which the selected tasks are the deliveries of callbacks.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskID"}
                    - {type: "null"}
                labels:
                  type: [object, "null"]
                  description: >-
                    Labels that the tasks must have with these values; names and values have at most 256 bytes.
                  minProperties: 1
                  maxProperties: 64
                  propertyNames: {minLength: 1, maxLength: 256}
                  additionalProperties: {type: string, maxLength: 256}
                schedule: {type: [string, "null"], description: The schedule that has created the tasks.}
                retried: {type: [boolean, "null"], description: True for tasks that were retried.}
                error:
                  description: >-
                    The code of the error with which the tasks have failed. Refused with `store.encryption_keys`.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskErrorCode"}
                    - {type: "null"}
                status:
                  type: [string, integer, "null"]
                  description: >-
                    The status of the response, such as 503, or a class, such as `5xx`. Refused with
                    `store.encryption_keys`.
                  minimum: 100
                  maximum: 999
                  pattern: "^([1-9]xx|[1-9][0-9][0-9])$"
                method: {type: [string, "null"], minLength: 1, description: Refused with `store.encryption_keys`.}
                hold:
                  description: The reason for which the tasks wait now.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskHold"}
                    - {type: "null"}
                created_after: {oneOf: [{$ref: "#/components/schemas/FilterTime"}, {type: "null"}]}
                created_before: {oneOf: [{$ref: "#/components/schemas/FilterTime"}, {type: "null"}]}
                finished_after: {oneOf: [{$ref: "#/components/schemas/FilterTime"}, {type: "null"}]}
                finished_before: {oneOf: [{$ref: "#/components/schemas/FilterTime"}, {type: "null"}]}
                limit:
                  type: [integer, "null"]
                  description: The most tasks to select, the newest of the filters or the first of `ids`.
                  minimum: 1
                  maximum: 1000000000
                dry_run:
                  type: [boolean, "null"]
                  description: True to count the tasks and change none. An `Idempotency-Key` is used up all the same.
            BulkRequest:
              type: object
              allOf:
                - {$ref: "#/components/schemas/BulkSelection"}
              unevaluatedProperties: false
              examples:
                - {state: [queued, waiting], session: github, labels: {team: billing}}
                - {ids: [01a1fc90-57c2-7d41-9a9e-1f3f6f1b2c3d]}
                - {created_before: -24h, state: suspended, limit: 100, dry_run: true}
            BulkRetryRequest:
              type: object
              allOf:
                - {$ref: "#/components/schemas/BulkSelection"}
              properties:
                again: {type: [boolean, "null"], description: True to retry also tasks that were retried already.}
              unevaluatedProperties: false
              examples:
                - {state: failed, error: timed_out, created_after: -24h}
            BulkResult:
              type: object
              required: [matched, changed]
              properties:
                matched: {type: integer, minimum: 0, description: The number of selected tasks.}
                changed: {type: integer, minimum: 0, description: The number of changed tasks.}
                would_change:
                  type: integer
                  minimum: 0
                  description: The number of tasks that the call would change by their state; only with `dry_run`.
                dry_run: {type: boolean, const: true, description: "True for a dry run, otherwise missing."}
              examples:
                - {matched: 120, changed: 118}
                - {matched: 120, changed: 0, would_change: 118, dry_run: true}
        """#
}
