/// The credentials for signing requests to one service of AWS or a compatible service.
public struct AWSCredentials: Sendable, Hashable {
    /// The region, such as `eu-west-1`.
    public var region: String
    /// The signing name of the service, such as `s3`.
    public var service: String
    /// The access key ID.
    public var accessKey: String
    /// The secret access key.
    public var secretKey: String
    /// The session token of temporary credentials; `nil` for long-term ones.
    public var sessionToken: String?

    /// Creates credentials from their parts; without a session token they are long-term.
    public init(region: String, service: String, accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: RedactedReflection {
    /// The region and the service, without the keys.
    public var description: String { "AWS Signature 4 for \(service) in \(region) [redacted]" }
}
