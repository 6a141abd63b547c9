extension OpenAPIDocument {
    /// Returns the problems of an operation, as members of its `responses`.
    static func problems(_ statuses: Int...) -> String { problems(statuses) }

    /// Returns the problems of an operation, as members of its `responses`.
    static func problems(_ statuses: [Int]) -> String {
        statuses.sorted().map { status in
            // A test finds a reference without a target.
            ##""\##(status)": {$ref: "#/components/responses/\##(problemNames[status, default: "unknown"])"}"##
        }.joined(separator: "\n        ")
    }

    /// The names of the responses by their statuses.
    private static let problemNames = [
        400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict",
        412: "PreconditionFailed", 413: "ContentTooLarge", 415: "UnsupportedMediaType", 416: "RangeNotSatisfiable",
        422: "Invalid", 429: "TooManyRequests", 500: "InternalError", 503: "Unavailable",
    ]

    /// The responses with a problem.
    static let responses = #"""
            BadRequest:
              description: The request is malformed, or a parameter or header field is invalid.
              headers:
                WWW-Authenticate: {schema: {type: string}}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            Unauthorized:
              description: A token is required, or the token is unknown.
              headers:
                WWW-Authenticate: {schema: {type: string}}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            Forbidden:
              description: The token lacks the scope or the session, or the request comes from a foreign web page.
              headers:
                WWW-Authenticate: {schema: {type: string}}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            NotFound:
              description: The resource does not exist, or the token has no access to it.
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            Conflict:
              description: The state of the resource does not allow the call.
              headers:
                Retry-After: {$ref: "#/components/headers/RetryAfter"}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            PreconditionFailed:
              description: The resource has another entity tag than `If-Match`, or that of `If-None-Match`.
              headers:
                ETag: {$ref: "#/components/headers/ETag"}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            ContentTooLarge:
              description: The content is larger than the limit that `detail` names.
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            UnsupportedMediaType:
              description: The content has another type or coding than the call accepts.
              headers:
                Accept: {schema: {type: string}}
                Accept-Patch: {schema: {type: string}}
                Accept-Encoding: {schema: {type: string}}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            RangeNotSatisfiable:
              description: The range begins after the end of the content.
              headers:
                Content-Range: {schema: {type: string}}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            Invalid:
              description: The document is JSON, but not valid; `errors` lists its faults.
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            TooManyRequests:
              description: The budget of the token is used up, or the queue of the session is full.
              headers:
                Retry-After: {$ref: "#/components/headers/RetryAfter"}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            InternalError:
              description: The gateway has a fault, which its log describes.
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
            Unavailable:
              description: The store is not available, the gateway stops, or too much is under way.
              headers:
                Retry-After: {$ref: "#/components/headers/RetryAfter"}
              content:
                application/problem+json:
                  schema: {$ref: "#/components/schemas/Problem"}
        """#
}
