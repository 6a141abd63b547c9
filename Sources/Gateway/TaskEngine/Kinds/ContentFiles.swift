package import ErrandBodyFiles
package import ErrandDownloads

/// The folders of the files with the content of tasks.
package struct ContentFiles: Sendable {
    /// The bodies of tasks.
    package let bodies: BodyFiles
    /// The folder of downloads; `nil` if there is none, so that downloads with a destination fail.
    package let downloads: DownloadFolder?
    /// The content of requests that clients send separately; `nil` if it is refused.
    package let contents: BodyFiles?

    /// Creates the folders, by default that of bodies only.
    package init(bodies: BodyFiles, downloads: DownloadFolder? = nil, contents: BodyFiles? = nil) {
        self.bodies = bodies
        self.downloads = downloads
        self.contents = contents
    }
}
