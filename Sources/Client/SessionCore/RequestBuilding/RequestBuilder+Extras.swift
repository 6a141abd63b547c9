extension RequestBuilder {
    /// Returns the hooks and rules of a request; `nil` if there are none.
    ///
    /// - Parameter isOwnOrigin: True if the session's header fields are sent and its adapters run.
    func extras(of task: TaskRequest, isOwnOrigin: Bool) -> RequestExtras? {
        let hasRules =
            task.acceptableStatuses != nil || task.acceptableContentTypes != nil || task.redirects != nil
            || task.maxBodyBytes != nil
        guard hasRules || !task.hooks.isEmpty || !isSuitable(for: task, isOwnOrigin: isOwnOrigin) else {
            return ownExtras
        }
        var own = hooks.parts
        if !isOwnOrigin {
            own.adapters = []
            // What a hook has not adapted, it does not send again.
            own.retriers.removeAll { $0 is any RequestAdapter }
        }
        // The choice of a serializer for one request precedes the session's own serializer.
        if task.responseSerializer != nil { own.responseSerializer = nil }
        return RequestExtras(
            own.followed(by: task.hooks.parts), acceptableStatuses: task.acceptableStatuses,
            acceptableContentTypes: task.acceptableContentTypes, redirects: task.redirects,
            maxBodyBytes: task.maxBodyBytes)
    }

    /// Returns true if the session's hooks apply to the request as they are.
    private func isSuitable(for task: TaskRequest, isOwnOrigin: Bool) -> Bool {
        hooks.isEmpty || isOwnOrigin && task.responseSerializer == nil
    }
}
