extension OpenAPIDocument {
    /// The filters of tasks, and the other parameters of their lists.
    static let taskFilterParameters = #"""
            FilterState:
              name: state
              in: query
              description: Tasks in one of these states. The parameter may be repeated.
              style: form
              explode: true
              schema: {type: array, items: {$ref: "#/components/schemas/TaskState"}}
            FilterSession:
              name: session
              in: query
              description: Tasks of one of these sessions. The parameter may be repeated.
              style: form
              explode: true
              schema: {type: array, items: {type: string}}
            FilterKind:
              name: kind
              in: query
              description: Tasks of this kind.
              schema: {$ref: "#/components/schemas/TaskKind"}
            FilterParent:
              name: parent
              in: query
              description: Deliveries of the callback of this task.
              schema: {$ref: "#/components/schemas/TaskID"}
            FilterLabels:
              name: labels
              in: query
              description: >-
                Labels that a task must have. Each one is a query parameter of its own, `label.KEY=VALUE`, as in
                `label.team=billing`. There may be up to 64.
              style: form
              explode: true
              schema:
                type: object
                maxProperties: 64
                propertyNames: {pattern: "^label\\..+$"}
                additionalProperties: {type: string, maxLength: 256}
              example: {label.team: billing}
            FilterCreatedAfter:
              name: created_after
              in: query
              description: Tasks that were created after this time.
              schema: {$ref: "#/components/schemas/FilterTime"}
            FilterCreatedBefore:
              name: created_before
              in: query
              description: Tasks that were created before this time.
              schema: {$ref: "#/components/schemas/FilterTime"}
            FilterFinishedAfter:
              name: finished_after
              in: query
              description: Tasks that have ended after this time.
              schema: {$ref: "#/components/schemas/FilterTime"}
            FilterFinishedBefore:
              name: finished_before
              in: query
              description: Tasks that have ended before this time.
              schema: {$ref: "#/components/schemas/FilterTime"}
            FilterSchedule:
              name: schedule
              in: query
              description: Tasks that the schedule of this name has created.
              schema: {type: string}
            FilterRetried:
              name: retried
              in: query
              description: "`true` for tasks with a `retried_by`, `false` for the others."
              schema: {type: boolean}
            FilterError:
              name: error
              in: query
              description: Tasks that ended with this error. With `store.encryption_keys` the filter is refused (400).
              schema: {$ref: "#/components/schemas/TaskErrorCode"}
            QueryStatus:
              name: status
              in: query
              description: >-
                Tasks whose last response had this status, or one of this class. With `store.encryption_keys` the
                filter is refused (400).
              schema: {$ref: "#/components/schemas/FilterStatus"}
              example: 5xx
            FilterMethod:
              name: method
              in: query
              description: >-
                Tasks whose request has this method, in any case. With `store.encryption_keys` the filter is refused
                (400).
              schema: {type: string, minLength: 1}
              example: POST
            FilterHold:
              name: hold
              in: query
              description: Tasks that have this reason to wait when the page is requested.
              schema: {$ref: "#/components/schemas/TaskHold"}
            QueryFields:
              name: fields
              in: query
              description: >-
                The members of each task, separated by commas; all by default. `id` is always one of them. The
                parameter may be repeated.
              style: form
              explode: false
              schema: {type: array, minItems: 1, items: {$ref: "#/components/schemas/TaskMember"}}
              example: [state, finished_at]
            QuerySort:
              name: sort
              in: query
              description: The order of the list. By `finished_at`, only finished tasks are listed.
              schema:
                type: string
                enum: ["-created_at", created_at, "-finished_at", finished_at]
                default: "-created_at"
            PageSize:
              name: page_size
              in: query
              description: The maximum number of tasks.
              schema: {type: integer, minimum: 1, maximum: 1000, default: 100}
            PageToken:
              name: page_token
              in: query
              description: The `next_page_token` of an earlier page of the list with the same filters and order.
              schema: {type: string}
            TraceParent:
              name: traceparent
              in: header
              description: >-
                The trace of which the new task becomes a part (W3C Trace Context). An invalid one is ignored.
              schema: {type: string}
              example: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
            TraceState:
              name: tracestate
              in: header
              description: The state of the trace, which attempts pass on. An invalid one is ignored.
              schema: {type: string}
        """#
}
