extension OpenAPIDocument {
    /// The schemas of schedules.
    static let scheduleSchemas = #"""
            ScheduleCreation:
              type: object
              required: [name, cron, task]
              additionalProperties: false
              properties:
                name:
                  type: string
                  pattern: "^[a-z][a-z0-9_-]{0,63}$"
                cron: {$ref: "#/components/schemas/ScheduleCron"}
                time_zone: {$ref: "#/components/schemas/ScheduleTimeZone"}
                missed: {$ref: "#/components/schemas/ScheduleMissed"}
                task: {$ref: "#/components/schemas/ScheduledTask"}
              examples:
                - name: nightly
                  cron: 30 2 * * MON-FRI
                  time_zone: Europe/Berlin
                  missed: run_once
                  task: {session: github, path: /user, labels: {team: billing}}
            ScheduleReplacement:
              type: object
              required: [cron, task]
              additionalProperties: false
              properties:
                name: {type: [string, "null"], description: The name in the path; no other is accepted.}
                cron: {$ref: "#/components/schemas/ScheduleCron"}
                time_zone: {$ref: "#/components/schemas/ScheduleTimeZone"}
                missed: {$ref: "#/components/schemas/ScheduleMissed"}
                task: {$ref: "#/components/schemas/ScheduledTask"}
              examples:
                - {cron: "@hourly", task: {session: github, path: /user}}
            ScheduleCron:
              type: string
              description: |
                Minute, hour, day of the month, month and day of the week: values, lists, ranges, steps such as `*/15`
                and `8-18/2`, `JAN` to `DEC`, and `SUN` to `SAT`; or `@hourly`, `@daily`, `@midnight`, `@weekly`,
                `@monthly`, `@yearly` or `@annually`. An expression that never matches is refused.
              examples: [30 2 * * MON-FRI]
            ScheduleTimeZone:
              type: [string, "null"]
              description: A name of the IANA database with an area, `UTC` or `GMT`.
              default: UTC
              examples: [Europe/Berlin]
            ScheduleMissed:
              type: [string, "null"]
              description: |
                What happens to times that are more than a minute past because the gateway did not run: `skip` ignores
                them, `run_once` creates one task for all of them.
              enum: [skip, run_once, null]
              default: skip
            ScheduledTask:
              type: object
              description: >-
                The members of `TaskCreation` without `not_before`, `deadline` and `body.content`. A `delay` begins at
                each of the times.
              allOf:
                - {$ref: "#/components/schemas/TaskMembers"}
              unevaluatedProperties: false
            Schedule:
              type: object
              required:
                - name
                - origin
                - session
                - suspended
                - created_at
                - updated_at
                - next_runs
                - last_run_at
                - last_task
                - last_error
                - revision
                - links
              properties:
                name: {type: string}
                origin:
                  type: string
                  description: The owner. A schedule of the configuration can only be suspended, resumed and run.
                  enum: [api, configuration]
                cron:
                  type: string
                  description: The times. It and the next three members are missing if the schedule cannot be read.
                time_zone: {type: string}
                missed: {type: string, enum: [skip, run_once]}
                task:
                  type: object
                  description: |
                    The task as the client wrote it, with its session, and with `[redacted]` in place of secrets. Empty
                    for a schedule of a configuration that the process has not read.
                session: {type: string, description: The session of the tasks.}
                suspended: {type: boolean}
                created_at: {$ref: "#/components/schemas/Timestamp"}
                updated_at: {$ref: "#/components/schemas/Timestamp"}
                next_runs:
                  type: array
                  description: The next times; none while the schedule is suspended.
                  maxItems: 5
                  items: {$ref: "#/components/schemas/Timestamp"}
                last_run_at:
                  description: The time for which the last task was created.
                  oneOf:
                    - {$ref: "#/components/schemas/Timestamp"}
                    - {type: "null"}
                last_task:
                  description: The last task.
                  oneOf:
                    - {$ref: "#/components/schemas/TaskID"}
                    - {type: "null"}
                last_error:
                  type: [object, "null"]
                  description: The reason for which the last run has created no task, or the schedule cannot be read.
                  required: [at, message]
                  properties:
                    at: {$ref: "#/components/schemas/Timestamp"}
                    message: {type: string, description: A message for people.}
                revision: {type: integer, format: int64, description: "Increases with each change, also with each run."}
                links:
                  type: object
                  description: >-
                    The paths of the schedule and of the calls for it: `suspend`, or `resume` if it is suspended.
                  required: [self, run]
                  properties:
                    self: {type: string, format: uri-reference}
                    run: {type: string, format: uri-reference}
                    suspend: {type: string, format: uri-reference}
                    resume: {type: string, format: uri-reference}
              examples:
                - name: nightly
                  origin: api
                  cron: 30 2 * * MON-FRI
                  time_zone: Europe/Berlin
                  missed: run_once
                  task: {session: github, path: /user}
                  session: github
                  suspended: false
                  created_at: "2026-11-28T12:00:00.000Z"
                  updated_at: "2026-11-30T01:30:00.012Z"
                  next_runs: ["2026-12-01T01:30:00.000Z"]
                  last_run_at: "2026-11-30T01:30:00.000Z"
                  last_task: 01a1fc90-57c2-7d41-9a9e-1f3f6f1b2c3d
                  last_error: null
                  revision: 2
                  links:
                    self: /v1/schedules/nightly
                    run: /v1/schedules/nightly/run
                    suspend: /v1/schedules/nightly/suspend
            ShortSchedule:
              type: object
              description: >-
                The response to a change in place of a schedule that would be above 64 KiB, beyond `server.max_unsent`.
              required: [name, session, suspended, revision]
              properties:
                name: {type: string}
                session: {type: string}
                suspended: {type: boolean}
                revision: {type: integer, format: int64}
            ScheduleList:
              type: object
              required: [schedules]
              properties:
                schedules:
                  type: array
                  items: {$ref: "#/components/schemas/Schedule"}
        """#
}
