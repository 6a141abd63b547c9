extension OpenAPIDocument {
    /// The requests that the gateway sends to clients.
    static let webhooks = #"""
          task:
            post:
              tags: [tasks]
              operationId: receiveCallback
              summary: Receive the end of a task
              description: |
                The gateway sends this message to the `url` of the `callback` of a task that has ended in one of its
                `states`.

                A message may arrive twice, with the same `webhook-id`. Any other status than 2xx, 3xx and 410 is
                retried after about 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h, each up to a fifth shorter or longer.
                A `Retry-After` extends the pause, to a day at most.
              security: []
              parameters:
                - name: webhook-id
                  in: header
                  required: true
                  description: The identifier of the message, the same in each attempt.
                  schema: {$ref: "#/components/schemas/TaskID"}
                - name: webhook-timestamp
                  in: header
                  required: true
                  description: The time of the attempt, in seconds since 1970.
                  schema: {type: integer, format: int64}
                  example: 1795867200
                - name: webhook-signature
                  in: header
                  description: |
                    The signatures of `webhook-id`, `webhook-timestamp` and the content, joined by full stops: one for
                    each secret of `callbacks.secrets`, separated by spaces. `v1,` precedes an HMAC-SHA256 and `v1a,`
                    an Ed25519 signature, in Base64. Missing without secrets, which `callbacks.unsigned` allows.
                  schema: {type: string}
                  example: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
              requestBody:
                required: true
                description: The message, which is never compressed.
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/CallbackMessage"}
              responses:
                "2XX": {description: The message is delivered. The content does not matter.}
                "3XX": {description: The redirect is not followed. The message is not sent again.}
                "410": {description: The receiver wants no more messages. It is not sent again.}
                default: {description: "The message is sent again, up to seven times."}
        """#
}
