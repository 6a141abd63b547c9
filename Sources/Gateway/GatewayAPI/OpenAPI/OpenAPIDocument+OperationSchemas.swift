extension OpenAPIDocument {
    /// The schemas of the process itself.
    static let operationSchemas = #"""
            Index:
              type: object
              description: The paths of the API.
              required: [tasks, schedules, sessions, events, health, readiness, metrics, version, problems, openapi]
              properties:
                tasks: {type: string, format: uri-reference}
                schedules: {type: string, format: uri-reference}
                sessions: {type: string, format: uri-reference}
                events: {type: string, format: uri-reference}
                health: {type: string, format: uri-reference}
                readiness: {type: string, format: uri-reference}
                metrics: {type: string, format: uri-reference}
                version: {type: string, format: uri-reference}
                problems: {type: string, format: uri-reference}
                openapi: {type: string, format: uri-reference, description: This document as JSON.}
                hint: {type: string, description: "How to add a session, while none is configured."}
            Health:
              type: object
              required: [status]
              properties:
                status: {type: string, const: ok}
            Readiness:
              type: object
              required: [status]
              properties:
                status: {type: string, const: ready}
                hold:
                  type: string
                  const: disk_full
                  description: The disk has less than `files.min_free`. Tasks are accepted, and no attempt starts.
              examples:
                - {status: ready}
                - {status: ready, hold: disk_full}
            Versions:
              type: object
              required: [errand, libcurl, libmicrohttpd, libyaml, sqlite]
              properties:
                errand: {type: string}
                libcurl: {type: string}
                libmicrohttpd: {type: string}
                libyaml: {type: string}
                sqlite: {type: string}
            ProblemType:
              type: object
              required: [type, title, status]
              properties:
                type:
                  type: string
                  format: uri-reference
                  description: The path of the type, which problems have in `type`.
                title: {type: string}
                status: {type: integer}
              examples:
                - {type: /problems/invalid-task, title: The task is not valid, status: 422}
            ReloadResult:
              type: object
              required: [changed, restart_required]
              properties:
                changed: {type: array, description: The settings with new values in force., items: {type: string}}
                restart_required:
                  type: array
                  description: The changed settings that keep their values until a restart.
                  items: {type: string}
              examples:
                - changed: [sessions.github.security.pins, auth.tokens]
                  restart_required: [server.listen]
        """#
}
