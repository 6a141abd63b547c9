import ErrandAuthentication

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
