import ErrandFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTransfer

/// The place of a complete file below a folder of downloads: found by the head of its response, and open from then on.
final class ConfinedPlace: Sendable {
    private let downloads: DownloadFolder
    private let locate: @Sendable (ResponseHead, String) throws(SessionError) -> [FileName]
    private let open = Mutex<OpenFolder?>(nil)

    /// The open folder of the complete file.
    private final class OpenFolder: Sendable {
        let folder: ConfinedFolder
        /// The path of the folder relative to the folder of downloads; empty for that itself.
        let shown: String

        init(_ names: [FileName], below path: String) throws(SessionError) {
            folder = try ConfinedFolder(names, below: path)
            shown = names.map(\.text).joined(separator: "/")
        }
    }

    /// Creates a place that is not known yet.
    ///
    /// - Parameters:
    ///   - downloads: The folder of downloads.
    ///   - locate: Returns the names of the folders below it and, last, of the file, for a response and its URL.
    init(
        below downloads: DownloadFolder,
        _ locate: @escaping @Sendable (ResponseHead, String) throws(SessionError) -> [FileName]
    ) {
        self.downloads = downloads
        self.locate = locate
    }

    /// Opens the folder for a response, and creates the missing folders above it.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - url: The URL of the response, after redirects.
    /// - Returns: The path of the complete file, valid as long as this object lives.
    func path(for head: ResponseHead, from url: String) throws(SessionError) -> String {
        let names = try locate(head, url)
        guard let name = names.last else { throw SessionError(.cannotCreate, "The destination has no name") }
        let place = try OpenFolder(names.dropLast(), below: downloads.path)
        open.withLock { $0 = place }
        return DownloadPath.path(of: name.text, in: place.folder.path())
    }

    /// Returns a text in which paths are relative to the folder of downloads.
    func shown(_ text: String) -> String {
        guard let place = open.withLock({ $0 }) else { return text }
        let path = place.folder.path()
        let parts = text.split(separator: path, omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { shown, part in
            // By scalars, like the operating system: a `Character` can begin with a slash and not be equal to one.
            switch part.unicodeScalars.first {
            case "/"? where place.shown.isEmpty:
                shown.unicodeScalars.append(contentsOf: part.unicodeScalars.dropFirst())
            // The path of another descriptor, whose number begins with the same digits.
            case let next? where ("0"..."9").contains(next): shown.append("\(path)\(part)")
            default: shown.append("\(place.shown.isEmpty ? "." : place.shown)\(part)")
            }
        }
    }
}
