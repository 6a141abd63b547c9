package import Foundation

/// The folder of the project, for tests that use its other files.
package enum ProjectFolder {
    /// The nearest folder above this file with a `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder = folder.deletingLastPathComponent()
        }
        return folder
    }()
}
