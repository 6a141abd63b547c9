import HTTPSession

/// The properties of a session's configuration, as paths such as `request.serializer`.
enum ConfigurationProperties {
    /// All stored properties, found by reflection: a new one is found too.
    static let all = Set(paths(of: SessionConfiguration(name: "api"), below: ""))

    /// The properties that programs cannot set: those of the owner of a queue of tasks, which is the gateway, the rule
    /// that a session makes of its own ``EgressPolicy``, and whether a printed configuration shows a path.
    static let inner: Set = [
        "connection.egress", "retry", "circuitBreaker", "limits.concurrent", "limits.rate", "limits.burst",
        "limits.maxQueued",
        "reachability.holdsWhenUnreachable", "reachability.isProbePathSecret",
        "response.disposition.hasOwnLimit", "response.disposition.overLimit",
        "response.disposition.becomeDownloadTypes",
    ]

    private static func paths(of value: Any, below prefix: String) -> [String] {
        Mirror(reflecting: value).children.flatMap { child -> [String] in
            guard let label = child.label else { return [] }
            return isGroup(child.value) ? paths(of: child.value, below: prefix + label + ".") : [prefix + label]
        }
    }

    /// True for a value that has settings as its properties.
    private static func isGroup(_ value: Any) -> Bool {
        switch value {
        case is RequestConfiguration, is RequestSerializationOptions, is ParameterEncoding, is JSONWritingOptions,
            is RequestCompression, is ResponseConfiguration, is ResponseSerializationOptions, is JSONReadingOptions,
            is ResponseConfiguration.Disposition, is RedirectPolicy, is ConnectionOptions, is TLSOptions,
            is TrustPolicy, is EgressPolicy, is TransferTimeouts, is SessionLimits, is ReachabilityConfiguration:
            true
        default: false
        }
    }
}
