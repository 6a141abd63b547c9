import ErrandTransfer
import HTTPTypes

/// The credentials for signing requests to one service of AWS or a compatible service.
///
/// Everything except the session token is required. The values are visible ASCII, apart from the secret key. Region,
/// service and access key have no slash and no comma.
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

extension AWSCredentials: CredentialsKind {
    /// The name of the kind in configurations.
    package static let kind = "aws_sigv4"

    var problems: [CredentialsProblem] {
        CredentialsProblem.check("region", region, against: .isGiven, .isVisibleASCII, .isScopePart)
            + CredentialsProblem.check("service", service, against: .isGiven, .isVisibleASCII, .isScopePart)
            + CredentialsProblem.check("access_key", accessKey, against: .isGiven, .isVisibleASCII, .isScopePart)
            + CredentialsProblem.check("secret_key", secretKey, against: .isGiven)
            + tokenProblems
    }

    private var tokenProblems: [CredentialsProblem] {
        guard let sessionToken else { return [] }
        return CredentialsProblem.check("session_token", sessionToken, against: .isGiven, .isVisibleASCII)
    }

    var secretHeaderNames: Set<HTTPField.Name> { [.authorization, .amazonSecurityToken] }
    var secretQueryNames: Set<String> { [] }

    func mechanism(in environment: AuthenticationEnvironment) -> any AuthenticationMechanism {
        AWSMechanism(signature: AWSSignature4(self), clock: environment.clock)
    }
}

/// The mechanism that signs each request, as it is at that time.
private struct AWSMechanism: AuthenticationMechanism {
    let signature: AWSSignature4
    let clock: AuthenticationClock

    func authorize(_ request: inout TransferRequest) {
        signature.sign(
            &request.headers, method: request.method, url: request.url, payload: AWSPayload(request.body),
            at: AWSTimestamp(secondsSince1970: clock.secondsSince1970()))
    }
}

extension AWSCredentials: RedactedReflection {
    /// The region and the service, without the keys.
    public var description: String { "AWS Signature 4 for \(service) in \(region) [redacted]" }
}
