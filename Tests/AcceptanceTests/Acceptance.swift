import Testing

/// The program from outside, as its users have it: real processes, real sockets, real files.
///
/// One test at a time: each has processes of its own, and some measure them.
@Suite("Acceptance", .serialized, .timeLimit(.minutes(Soak.isWanted ? 60 : 5)))
enum Acceptance {}
