import ErrandHTTPServer
import ErrandReferenceParsers

extension FuzzTarget {
    /// Fuzzes the bytes of a client's connection, before libmicrohttpd reads them.
    ///
    /// The result does not depend on the pieces in which the bytes arrive, it is that of a strict parser, and the bytes
    /// that are passed on have one interpretation. Each byte of the first line is the length of a piece (`a` is 1, `b`
    /// is 2), in turn; the bytes of the connection follow.
    static let requestStream = FuzzTarget("request-stream", maxBytes: 4096) { input in
        let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
        let sizes = input[..<end].map { 1 + Int(($0 &- 1) & 31) }
        let bytes = Array(input[end...].dropFirst())
        let result = try judgeStream(bytes, pieces: sizes, limits: largeLimits)
        let reference = ReferenceRequests(bytes)
        if result.isBeyondLimit {
            try expect(result.completedRequests <= reference.complete, "a request is not divided")
        } else {
            try expect(result.completedRequests == reference.complete, "requests end where a strict parser ends them")
            try expect(
                result.problem == nil ? reference.rest != .malformed : reference.rest != .nothing,
                "malformed requests are rejected, and no others: \(result.problem?.detail ?? "accepted")")
        }

        let limited = try judgeStream(bytes, pieces: sizes, limits: smallLimits)
        guard limited.isBeyondLimit else {
            try expect(limited == result, "a limit that is not reached changes nothing")
            return
        }
        try expect(limited.completedRequests <= result.completedRequests, "a limit only rejects requests")
    }

    /// Limits that no input reaches.
    private static let largeLimits = RequestStreamValidator.Limits(
        headBytes: 1 << 20, targetBytes: 1 << 20, recordBytes: 1 << 30)
    private static let smallLimits = RequestStreamValidator.Limits(headBytes: 200, targetBytes: 32, recordBytes: 512)

    /// Checks the results for the bytes in several pieces, and returns the one for the bytes in one piece.
    private static func judgeStream(
        _ bytes: [UInt8], pieces sizes: [Int], limits: RequestStreamValidator.Limits
    ) throws(BrokenPromise) -> ValidatedStream {
        let whole = try ValidatedStream(bytes, pieces: [], limits: limits)
        let single = try ValidatedStream(bytes, pieces: [1], limits: limits)
        for pieces in [single, try ValidatedStream(bytes, pieces: sizes, limits: limits)] {
            var expected = whole
            expected.passedBytes = pieces.passedBytes
            try expect(pieces == expected, "the result is the same however the bytes arrive")
            // More of the rejected request, up to the byte before the fault.
            try expect(
                pieces.passedBytes >= whole.passedBytes && pieces.passedBytes <= single.passedBytes,
                "only what came before the fault is passed on")
        }
        guard whole.problem != nil else { return whole }
        let requests = ReferenceRequests(Array(bytes.prefix(whole.passedBytes)))
        try expect(
            requests.complete == whole.completedRequests && requests.rest == .nothing,
            "a rejected request that arrives at once is not passed on")
        let beginning = ReferenceRequests(Array(bytes.prefix(single.passedBytes)))
        try expect(
            beginning.complete == whole.completedRequests && beginning.rest != .malformed,
            "a fault is never passed on")
        return whole
    }
}

/// The result of the validator for the bytes of one connection.
private struct ValidatedStream: Equatable {
    var problem: ProblemDetails?
    var completedRequests: Int
    var requestLines: Int
    var isBetweenRequests: Bool
    var passedBytes = 0

    /// Validates bytes that arrive in pieces.
    ///
    /// - Parameter sizes: The lengths of the pieces, in turn; none for all bytes at once.
    init(
        _ bytes: [UInt8], pieces sizes: [Int], limits: RequestStreamValidator.Limits
    ) throws(BrokenPromise) {
        var validator = RequestStreamValidator(limits: limits)
        var rest = bytes[...]
        var number = 0
        while !rest.isEmpty {
            let piece = Array(rest.prefix(sizes.isEmpty ? rest.count : sizes[number % sizes.count]))
            let isRejected = validator.problem != nil
            let count = validator.admit(piece.span)
            try expect(count >= 0 && count <= piece.count, "only received bytes are passed on")
            try expect(!isRejected || count == 0, "nothing after a rejected request is passed on")
            try expect(validator.problem != nil || count == piece.count, "bytes without a fault are passed on")
            passedBytes += count
            rest = rest.dropFirst(piece.count)
            number += 1
        }
        problem = validator.problem
        completedRequests = validator.completedRequests
        requestLines = validator.requestLines
        isBetweenRequests = validator.isBetweenRequests
        let open = requestLines - completedRequests
        try expect(open == 0 || open == 1, "one request is open at a time")
    }

    /// True if a request was rejected because of its size, which the grammar allows.
    var isBeyondLimit: Bool {
        guard let problem else { return false }
        let beginnings = ["the line before a chunk is longer", "the chunk extensions are longer"]
        return problem.type == .headersTooLarge || problem.type == .targetTooLong
            || beginnings.contains { problem.detail?.hasPrefix($0) == true }
    }
}
