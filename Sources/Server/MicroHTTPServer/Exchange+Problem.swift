import ErrandHTTPServer

extension Exchange {
    /// Returns a problem with the request's path as its instance, if the target can be parsed.
    func locating(_ problem: ProblemDetails) -> ProblemDetails {
        var problem = problem
        if problem.instance == nil, let target {
            do throws(RequestTargetError) {
                problem.instance = try RequestTarget(target).path
            } catch {
                // An illegal target has no path to name.
            }
        }
        return problem
    }
}
