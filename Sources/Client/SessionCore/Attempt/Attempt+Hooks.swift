import ErrandAuthentication
import ErrandTransfer

// The hooks of a request; nothing of it runs for a request without any.

extension Attempt {
    // MARK: Before the first hop

    /// Lets the adapters change the first request.
    @inline(never)
    func adapt() async throws(SessionError) {
        guard let adapters = prepared.extras?.hooks.adapters, !adapters.isEmpty else { return }
        let plain = chain.request
        let result = await perform { () async -> Result<TransferRequest, SessionError> in
            var request = plain
            do {
                for adapter in adapters { request = try await adapter.adapt(request) }
                return .success(request)
            } catch {
                return .failure(SessionError(ofHook: error, "An adapter of the program failed"))
            }
        }
        try checkTime()
        try chain.adapt(to: result.get())
        // An adapter may have chosen another file.
        if chain.lacksDigest { try await addDigest() }
    }

    // MARK: Redirects

    /// True if hooks decide about redirects; their content is then kept for the case that they are refused.
    var asksAboutRedirects: Bool { prepared.extras?.hooks.redirects.isEmpty == false }

    /// Asks the hooks about a redirect, and follows it unless they refuse it.
    ///
    /// Only then is content that is sent again rewound: hooks may refuse a redirect, or choose other content, because
    /// that is impossible.
    ///
    /// - Returns: True if another hop follows; false if the redirect is the response.
    @inline(never)
    func ask(about target: RedirectRule.Target, after head: ResponseHead) async throws(SessionError) -> Bool {
        guard let handlers = prepared.extras?.hooks.redirects else { return false }
        var next = chain
        next.propose(target)
        let proposed = next.request
        let chosen = await perform { () async -> TransferRequest? in
            var request = proposed
            for handler in handlers {
                guard let changed = await handler.redirect(to: request, after: head) else { return nil }
                request = changed
            }
            return request
        }
        try checkTime()
        guard let chosen else { return false }
        try next.redirect(to: chosen, after: chain.request)
        await sink.discard()
        note(redirectFrom: chain.request.url, to: chosen.url, after: head)
        chain = next
        challenges.beginNextRequest()
        return true
    }

    // MARK: After the last hop

    /// Validates the response of a successful outcome, and adds what retriers need.
    @inline(never)
    func applyHooks(to outcome: inout SessionOutcome) async {
        guard let hooks = prepared.extras?.hooks else { return }
        if outcome.error == nil, let response = outcome.response, !hooks.validators.isEmpty {
            outcome.error = await objection(to: response, of: hooks.validators)
            // A cancellation ends the attempt without their decision.
            let isCanceled = control.canceled != nil || Task.isCancelled
            outcome.isRefused = outcome.error != nil && !isCanceled
        }
        if outcome.error != nil, !hooks.retriers.isEmpty { outcome.sent = SentRequest(chain) }
    }

    private func objection(
        to response: SessionResponse, of validators: [any ResponseValidator]
    ) async -> SessionError? {
        let request = chain.request
        let error = await perform { () async -> SessionError? in
            do {
                for validator in validators { try await validator.validate(response, to: request) }
                return nil
            } catch {
                return SessionError(ofHook: error, "A validator of the program has refused the response")
            }
        }
        do throws(SessionError) {
            try checkTime()
        } catch {
            return error
        }
        return error
    }
}
