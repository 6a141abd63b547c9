extension RequestBuilder {
    /// Returns the hooks and rules of a request; `nil` if there are none.
    ///
    /// - Parameter isOwnUpstream: True if the request is for the origin of the session's base URL, so that the
    ///   session's adapters run.
    func extras(of task: TaskRequest, isOwnUpstream: Bool) -> RequestExtras? {
        let hasRules =
            task.acceptableStatuses != nil || task.acceptableContentTypes != nil || task.redirects != nil
            || task.maxBodyBytes != nil || task.progress != nil
        guard hasRules || !task.hooks.isEmpty || !isSuitable(for: task, isOwnUpstream: isOwnUpstream) else {
            return ownExtras
        }
        var own = hooks.parts
        if !isOwnUpstream {
            own.adapters = []
            own.challenges = []
            // What a hook has not adapted, it does not send again.
            own.retriers.removeAll { $0 is any RequestAdapter }
        }
        // The choice of a serializer for one request precedes the session's own serializer.
        if task.responseSerializer != nil { own.responseSerializer = nil }
        return RequestExtras(
            own.followed(by: task.hooks.parts), acceptableStatuses: task.acceptableStatuses,
            acceptableContentTypes: task.acceptableContentTypes, redirects: task.redirects,
            maxBodyBytes: task.maxBodyBytes, progress: task.progress)
    }

    /// Returns true if the session's hooks apply to the request as they are.
    private func isSuitable(for task: TaskRequest, isOwnUpstream: Bool) -> Bool {
        hooks.isEmpty || isOwnUpstream && task.responseSerializer == nil
    }
}
