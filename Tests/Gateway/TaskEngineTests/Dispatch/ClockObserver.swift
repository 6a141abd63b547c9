import ErrandSupport

@testable import ErrandTaskEngine

/// Records when all changes of the clock were handled.
final class ClockObserver: WallClockObserver {
    let settled = EventLog<Void>()

    func clockWasSet(_ change: WallClock.Change) async {}
    func clockHasSettled() { settled.append() }
}
