import ErrandLocking
public import ErrandRequestSerialization
public import ErrandResponseSerialization

/// The code of a program that a session calls: hooks and serializers, for a session or for one request.
///
/// ```swift
/// let hooks = SessionHooks(
///     adapters: [.header(.authorization) { "Bearer \(await tokens.current)" }], retriers: [.backoff()])
/// let api = try Session(baseURL: "https://api.example.com", hooks: hooks)
/// let page = try await api.get("page", options: RequestOptions(hooks: SessionHooks(redirects: [.doNotFollow])))
/// ```
///
/// The hooks of a session run before those of the request, each list in its order. A serializer of the request replaces
/// that of the session. A request uses the hooks that it was created with. None runs on the thread of transfers: the
/// code that creates a request calls its serializer, and Swift's pool of threads runs the others.
///
/// The adapters of a session see only requests to the origin of its base URL, as its credentials go only there; in a
/// session without a base URL they never run. About other requests, retriers that are adapters too are not asked, and
/// neither are the session's handlers of challenges. The hooks of a request always run.
///
/// Two values are equal if one is an unchanged copy of the other, or if both are empty.
public struct SessionHooks: Sendable {
    private var shared: Shared<Parts>?

    /// Creates hooks; none by default.
    ///
    /// - Parameters:
    ///   - adapters: Change requests before each attempt.
    ///   - retriers: Decide about another attempt after a failure.
    ///   - redirects: Change or refuse redirects.
    ///   - challenges: Answer authentication challenges that the session's credentials do not answer.
    ///   - validators: Validate responses, after the session's own validation.
    ///   - monitors: Are told of each attempt that has ended.
    ///   - requestSerializer: Turns parameters into content, instead of the selected serializer; not called for
    ///     parameters that are sent in the URL (``RequestConfiguration/methodsWithParametersInURL``).
    ///   - responseSerializer: Reads the content of responses, instead of the selected serializer.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        redirects: [any RedirectHandler] = [], challenges: [any ChallengeHandler] = [],
        validators: [any ResponseValidator] = [], monitors: [any RequestMonitor] = [],
        requestSerializer: (any RequestSerializer)? = nil, responseSerializer: (any ResponseSerializer)? = nil
    ) {
        let parts = Parts(
            adapters: adapters, retriers: retriers, redirects: redirects, challenges: challenges,
            validators: validators, monitors: monitors, requestSerializer: requestSerializer,
            responseSerializer: responseSerializer)
        self.init(parts)
    }

    /// Creates hooks from a value that both adapts and retries, such as ``TokenRefresher``.
    public init(interceptor: some RequestAdapter & RequestRetrier) {
        self.init(adapters: [interceptor], retriers: [interceptor])
    }

    init(_ parts: Parts) {
        shared = parts.isEmpty ? nil : Shared(parts)
    }

    /// The hooks and serializers.
    struct Parts: Sendable {
        var adapters: [any RequestAdapter] = []
        var retriers: [any RequestRetrier] = []
        var redirects: [any RedirectHandler] = []
        var challenges: [any ChallengeHandler] = []
        var validators: [any ResponseValidator] = []
        var monitors: [any RequestMonitor] = []
        var requestSerializer: (any RequestSerializer)?
        var responseSerializer: (any ResponseSerializer)?

        var isEmpty: Bool {
            adapters.isEmpty && retriers.isEmpty && redirects.isEmpty && challenges.isEmpty && validators.isEmpty
                && monitors.isEmpty && requestSerializer == nil && responseSerializer == nil
        }

        /// Returns these hooks and then others, whose serializers take precedence.
        func followed(by others: Parts) -> Parts {
            Parts(
                adapters: adapters + others.adapters, retriers: retriers + others.retriers,
                redirects: redirects + others.redirects, challenges: challenges + others.challenges,
                validators: validators + others.validators, monitors: monitors + others.monitors,
                requestSerializer: others.requestSerializer ?? requestSerializer,
                responseSerializer: others.responseSerializer ?? responseSerializer)
        }
    }

    /// All hooks and serializers.
    var parts: Parts { shared?.value ?? Parts() }

    /// True if there is no hook and no serializer.
    public var isEmpty: Bool { shared == nil }

    /// Returns these hooks and then others, whose serializers take precedence.
    package func followed(by others: SessionHooks) -> SessionHooks {
        if others.isEmpty { return self }
        return isEmpty ? others : SessionHooks(parts.followed(by: others.parts))
    }

    private mutating func change(_ body: (inout Parts) -> Void) {
        var parts = self.parts
        body(&parts)
        self = SessionHooks(parts)
    }
}

extension SessionHooks {
    /// The adapters of requests, in the order of their calls.
    public var adapters: [any RequestAdapter] {
        get { parts.adapters }
        set { change { $0.adapters = newValue } }
    }

    /// The retriers, in the order of their calls.
    public var retriers: [any RequestRetrier] {
        get { parts.retriers }
        set { change { $0.retriers = newValue } }
    }

    /// The handlers of redirects, in the order of their calls.
    public var redirects: [any RedirectHandler] {
        get { parts.redirects }
        set { change { $0.redirects = newValue } }
    }

    /// The handlers of authentication challenges, in the order of their calls.
    public var challenges: [any ChallengeHandler] {
        get { parts.challenges }
        set { change { $0.challenges = newValue } }
    }

    /// The validators of responses, in the order of their calls.
    public var validators: [any ResponseValidator] {
        get { parts.validators }
        set { change { $0.validators = newValue } }
    }

    /// The monitors of attempts, in the order of their calls.
    public var monitors: [any RequestMonitor] {
        get { parts.monitors }
        set { change { $0.monitors = newValue } }
    }

    /// The serializer of parameters; `nil` for the selected one.
    public var requestSerializer: (any RequestSerializer)? {
        get { parts.requestSerializer }
        set { change { $0.requestSerializer = newValue } }
    }

    /// The serializer of responses; `nil` for the selected one.
    public var responseSerializer: (any ResponseSerializer)? {
        get { parts.responseSerializer }
        set { change { $0.responseSerializer = newValue } }
    }
}

extension SessionHooks: Hashable {
    /// Returns true if one value is an unchanged copy of the other, or if both are empty.
    public static func == (one: SessionHooks, other: SessionHooks) -> Bool {
        one.shared === other.shared
    }

    /// Hashes the identity of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(shared.map { ObjectIdentifier($0) })
    }
}
