import ErrandSupport
import Testing

/// Tests of the program from outside, as its users run it: real processes, real sockets, real files.
///
/// The tests run beside each other: each has its own processes, ports and folders.
@Suite("Acceptance", .timeLimit(Soak.isWanted ? .minutes(90) : .hang))
enum Acceptance {}
