import CivilCalendar

/// When an expression comes next.
///
/// Where clocks change, two rules see to it that nothing is skipped and nothing done twice:
///
/// - An expression that names hours is about times of the day. A time that the clock skips happens at the first instant
///   after the gap, several of them together; one that the clock shows twice happens the first time.
/// - An expression for every hour is about the time that passes. It happens whenever the clock shows such a minute: in
///   an hour that comes twice also twice, and in one that is left out not at all.
extension CronExpression {
    /// How far is looked ahead: 29 February on a certain day of the week may be 40 years away.
    private static let horizonSeconds: Int64 = 41 * 366 * 86_400

    /// The first time after an instant.
    ///
    /// It never looks at one minute after the other: what does not match is stepped over month by month, day by day.
    ///
    /// - Parameters:
    ///   - instant: Seconds since 1970; so is what is returned, always at the begin of a minute of the zone's clock or at
    ///     the end of a gap.
    ///   - zone: Whose clock is meant.
    /// - Returns: `nil` when there is none within 41 years.
    package func next(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        isForEveryHour ? nextByElapsedTime(after: instant, in: zone) : nextByWallClock(after: instant, in: zone)
    }

    /// Of an expression for every hour: the first instant whose wall time matches.
    private func nextByElapsedTime(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        let end = instant + Self.horizonSeconds
        var start = instant + 1
        while start < end {
            // Within a stretch without changes wall time is elapsed time.
            let offset = zone.offset(at: start)
            let change = zone.nextChange(after: start, before: end) ?? end
            if let wall = firstMatch(from: start + offset, before: change + offset) { return wall - offset }
            start = change
        }
        return nil
    }

    /// Of an expression that names hours: the first time of the day whose instant is later.
    ///
    /// Later wall times never have earlier instants, and that of the clock at an instant is not later than it.
    private func nextByWallClock(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        let start = instant + zone.offset(at: instant)
        var wall = start
        while let match = firstMatch(from: wall, before: start + Self.horizonSeconds) {
            let meant = Self.instant(of: match, in: zone)
            if meant > instant { return meant }
            wall = match + 60
        }
        return nil
    }

    /// The first instant at which a clock shows a wall time or a later one.
    private static func instant(of wall: Int64, in zone: some ZoneRules) -> Int64 {
        // Before every instant at which any clock can show it.
        var start = wall - 26 * 3600
        while true {
            let wanted = max(wall - zone.offset(at: start), start)
            guard let change = zone.nextChange(after: start, before: wanted) else { return wanted }
            start = change
        }
    }

    // MARK: Wall time

    /// The first matching minute, as seconds of a wall clock since 1970, in a range.
    private func firstMatch(from start: Int64, before end: Int64) -> Int64? {
        let minutes = CivilDate.floorDivide(start + 59, by: 60)
        var day = CivilDate.floorDivide(minutes, by: 1440)
        var time = Int(minutes - day * 1440)
        while day * 86_400 < end {
            let date = CivilDate(daysSince1970: day)
            if !month.contains(Int(date.month)) {
                day += CivilDate.length(ofMonth: date.month, year: date.year) - date.day + 1
            } else if matches(date), let minute = firstMinute(from: time) {
                let match = (day * 1440 + Int64(minute)) * 60
                return match < end ? match : nil
            } else {
                day += 1
            }
            time = 0
        }
        return nil
    }

    /// The first matching minute of a day, not before another.
    private func firstMinute(from time: Int) -> Int? {
        guard let hour = hour.first(from: time / 60) else { return nil }
        let isLater = hour > time / 60
        if let minute = minute.first(from: isLater ? 0 : time % 60) { return hour * 60 + minute }
        guard let next = self.hour.first(from: hour + 1), let minute = minute.first() else { return nil }
        return next * 60 + minute
    }
}
