import ErrandTaskStore
import Testing

@Suite("TaskLifecycle")
struct TaskLifecycleTests {
    /// Every event, in the order of the table's lines.
    private static let events: [TaskEvent] = [
        .timeCame, .runNowRequested, .postponed, .putOff, .contentWithdrawn, .attemptStarted, .attemptSucceeded,
        .attemptFailed(willRetry: false),
        .attemptFailed(willRetry: true), .attemptLost(mayResend: false), .attemptLost(mayResend: true),
        .connectionClosed, .suspendRequested, .resumeRequested(.ready), .resumeRequested(.early),
        .resumeRequested(.backingOff), .cancelRequested, .refused,
    ]

    /// The next state for every state and event; `suspended*` has a suspended attempt.
    ///
    /// `=`: no change, `-`: illegal.
    private static let table = """
        event    scheduled queued    running    waiting   suspended suspended* canceling succeeded failed canceled
        time     queued    -         -          queued    -         -          -         -         -      -
        run-now  queued    =         =          queued    -         -          -         -         -      -
        postpone =         scheduled -          -         -         -          -         -         -      -
        put-off  -         waiting   -          =         -         -          -         -         -      -
        withdraw =         scheduled -          scheduled =         -          -         -         -      -
        start    -         running   -          -         -         -          -         -         -      -
        success  -         -         succeeded  -         -         succeeded  canceled  -         -      -
        fail     -         -         failed     -         -         failed     canceled  -         -      -
        retry    -         -         waiting    -         -         suspended  canceled  -         -      -
        lost     -         -         failed     -         -         failed     canceled  -         -      -
        resend   -         -         queued     -         -         suspended  canceled  -         -      -
        closed   -         -         -          -         -         -          canceled  -         -      -
        suspend  suspended suspended suspended* suspended =         =          -         -         -      -
        ready    =         =         =          =         queued    running    -         -         -      -
        early    =         =         =          =         scheduled running    -         -         -      -
        back-off =         =         =          =         waiting   running    -         -         -      -
        cancel   canceled  canceled  canceling  canceled  canceled  canceling  =         -         -      =
        refuse   failed    failed    -          failed    failed    -          -         -         -      -
        """

    private static func lifecycle(_ name: String) throws -> TaskLifecycle {
        if name == "suspended*" { return try #require(TaskLifecycle(state: .suspended, hasOpenAttempt: true)) }
        return TaskLifecycle(state: try #require(TaskState(rawValue: name)))
    }

    @Test("Every event in every state has the effect in the table")
    func everyPair() throws {
        let lines = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let states = lines[0].dropFirst()
        #expect(Set(states) == Set(TaskState.allCases.map(\.rawValue) + ["suspended*"]))
        try #require(lines.count == Self.events.count + 1)
        for (event, line) in zip(Self.events, lines.dropFirst()) {
            try #require(line.count == states.count + 1)
            for (state, cell) in zip(states, line.dropFirst()) {
                let before = try Self.lifecycle(state)
                var after = before
                let effect = after.handle(event)
                switch cell {
                case "-": #expect(effect == .illegal && after == before, "\(state), \(event)")
                case "=": #expect(effect == .none && after == before, "\(state), \(event)")
                default:
                    #expect(effect == .changed, "\(state), \(event)")
                    #expect(after == (try Self.lifecycle(cell)), "\(state), \(event)")
                }
            }
        }
    }

    @Test("A canceled task ends as canceled after any event")
    func canceledStaysCanceled() {
        for start in TaskState.allCases {
            var canceled = TaskLifecycle(state: start)
            guard canceled.handle(.cancelRequested) != .illegal else { continue }
            for first in Self.events {
                for second in Self.events {
                    var lifecycle = canceled
                    _ = lifecycle.handle(first)
                    _ = lifecycle.handle(second)
                    #expect(lifecycle.state == .canceling || lifecycle.state == .canceled)
                }
            }
        }
    }

    @Test("Only running, canceling and a suspended running task have an open attempt")
    func openAttempts() throws {
        for state in TaskState.allCases {
            #expect(TaskLifecycle(state: state).hasOpenAttempt == (state == .running || state == .canceling))
        }
        #expect(try Self.lifecycle("suspended*").hasOpenAttempt)
    }

    @Test("A life cycle state is restored from its stored values, and invalid values are refused")
    func stored() throws {
        for state in TaskState.allCases {
            for hasOpenAttempt in [false, true] {
                let life = TaskLifecycle(state: state, hasOpenAttempt: hasOpenAttempt)
                let isPossible = state == .suspended || hasOpenAttempt == (state == .running || state == .canceling)
                #expect((life != nil) == isPossible, "\(state), \(hasOpenAttempt)")
                guard let life else { continue }
                #expect(life.state == state && life.hasOpenAttempt == hasOpenAttempt)
            }
        }
    }

    @Test("A task that lost its attempt while suspended continues with a new attempt")
    func lostWhileSuspended() throws {
        var life = try Self.lifecycle("suspended*")
        #expect(life.handle(.attemptLost(mayResend: true)) == .changed)
        #expect(life.state == .suspended && !life.hasOpenAttempt)
        #expect(life.handle(.attemptLost(mayResend: true)) == .illegal)
        #expect(life.handle(.resumeRequested(.ready)) == .changed)
        #expect(life.handle(.attemptStarted) == .changed)
        #expect(life == (try Self.lifecycle("running")))
    }

    @Test("Tasks are pending if they are neither under way nor finished")
    func pending() throws {
        let pending = TaskState.allCases.filter { TaskLifecycle(state: $0).isPending }
        #expect(pending == [.scheduled, .queued, .waiting, .suspended])
        let standingStill = try Self.lifecycle("suspended*")
        #expect(!standingStill.isPending)
    }
}
