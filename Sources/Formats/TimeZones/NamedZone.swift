import ErrandCron
// FoundationEssentials does not have named time zones.
import Foundation

/// A time zone of the IANA database, by its name.
///
/// The data is that of Swift's Foundation, which is linked into the program: its knowledge of future changes is as old
/// as the toolchain of the build. Thread-safe.
package struct NamedZone: ZoneRules, Hashable {
    /// The name, as given.
    package let name: String
    private let zone: TimeZone

    /// The longest name, in bytes.
    private static let maxNameBytes = 64

    /// Finds a zone; returns `nil` if there is none with this name.
    ///
    /// It accepts names of the form `Area/Place` in their exact spelling, and `UTC` and `GMT`. Abbreviations are
    /// rejected because they are ambiguous, and so are offsets. The whole name must be valid, although the reader of
    /// the data stops at a NUL.
    package init?(_ name: String) {
        let isPlace = name.contains("/") && !name.hasPrefix("SystemV/")
        guard name.utf8.count <= Self.maxNameBytes, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            isPlace || name == "UTC" || name == "GMT",
            let zone = TimeZone(identifier: name)
        else { return nil }
        self.name = name
        self.zone = zone
    }

    /// A selection of names for suggestions.
    package static var someNames: [String] { TimeZone.knownTimeZoneIdentifiers }

    package func offset(at instant: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(instant))))
    }

    package func nextChange(after instant: Int64, before end: Int64) -> Int64? {
        let start = Date(timeIntervalSince1970: TimeInterval(instant))
        guard let change = zone.nextDaylightSavingTimeTransition(after: start) else { return nil }
        // Changes occur at whole seconds.
        let next = Int64(change.timeIntervalSince1970.rounded())
        return next > instant && next <= end ? next : nil
    }
}
