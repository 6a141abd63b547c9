import ErrandSupport
import Testing

/// Tests of the program from outside, as its users run it: real processes, real sockets, real files.
///
/// The tests run serially: each has its own processes, and some measure them.
@Suite("Acceptance", .serialized, .timeLimit(Soak.isWanted ? .minutes(90) : .hang))
enum Acceptance {}
