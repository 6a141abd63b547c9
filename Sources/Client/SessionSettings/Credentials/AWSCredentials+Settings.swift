import ErrandAuthentication
import ErrandSettings

extension AWSCredentials {
    static let settings = SettingGroup(
        credentials: AWSCredentials(region: "", service: "", accessKey: "", secretKey: ""),
        [
            Setting("region", \.region, .text(), isRequired: true, "The region, such as `eu-west-1`."),
            Setting("service", \.service, .text(), isRequired: true, "The service, such as `s3`."),
            Setting("access_key", \.accessKey, .text(), isRequired: true, "The access key's identifier."),
            Setting("secret_key", \.secretKey, .secret(minimum: 1), isRequired: true, "The access key itself."),
            Setting(
                "session_token", \.sessionToken, .nullable(.secret(minimum: 1)),
                "The session token of temporary credentials; null for permanent ones."),
        ],
        make: { .awsSignature4($0) })
}

extension SettingVariant where Value == Credentials {
    /// The keys for AWS Signature Version 4.
    static var awsSignature4: SettingVariant {
        SettingVariant(
            AWSCredentials.kind, .group(AWSCredentials.settings),
            "A signature of each request (AWS Signature Version 4).",
            make: { .awsSignature4($0) },
            take: { if case .awsSignature4(let credentials) = $0 { credentials } else { nil } })
    }
}
