public import ErrandSessionCore

/// Options of one download.
public struct DownloadOptions: Sendable, Hashable {
    /// The action if the destination exists.
    ///
    /// Default: ``DownloadConflict/fail``.
    public var onConflict: DownloadConflict
    /// True to create the missing folders of the destination.
    ///
    /// Default: `false`.
    public var createsFolders: Bool
    /// The numbers of connections that a download may have.
    package static let connectionCounts = 1...16
    /// The digest that the file must have; `nil` for any.
    public var checksum: DownloadChecksum?
    /// The maximum size of the file in bytes; `nil` for no limit but the disk's.
    ///
    /// The session's limit on content (``ResponseConfiguration/Disposition/maxBodyBytes``) does not apply to files.
    public var maxBytes: Int64?
    /// The maximum number of connections, from 1 to 16.
    ///
    /// With more than one, the first request asks for a part of the content. If the server has parts, and the response a
    /// strong validator, the rest is divided among the connections; otherwise one receives it all. They are opened within
    /// the limits of the session (``ConnectionOptions/maxConnectionsPerHost``). They help if a server or the way to it
    /// limits the rate of each connection. Default: 1.
    ///
    /// A response that becomes a download (``ResponseDisposition/download(to:options:)``) comes over one connection;
    /// the others help if it is resumed.
    public var connections: Int
    /// Timeouts, each of which replaces the session's unless it is `nil`.
    ///
    /// Not used for a response that becomes a download, whose request has its timeouts already.
    public var timeouts: TaskTimeouts
    /// The hooks of the download, after those of the session and of the request.
    ///
    /// No serializer reads the content of a download. Not used for a response that becomes a download, whose request
    /// has its hooks already. Default: none.
    public var hooks: SessionHooks
    /// The handler of the progress; `nil` for that of the request.
    ///
    /// The completed bytes are those of the whole file. Not used for a response that becomes a download: the handler of
    /// its request is told.
    public var progress: ProgressHandler?

    /// Creates options.
    ///
    /// Each parameter sets the property of its name; `progress` is the function of the handler.
    public init(
        onConflict: DownloadConflict = .fail, createsFolders: Bool = false, checksum: DownloadChecksum? = nil,
        maxBytes: Int64? = nil, connections: Int = 1, timeouts: TaskTimeouts = TaskTimeouts(),
        hooks: SessionHooks = SessionHooks(), progress: (@Sendable (ProgressReport) -> Void)? = nil
    ) {
        self.onConflict = onConflict
        self.createsFolders = createsFolders
        self.checksum = checksum
        self.maxBytes = maxBytes
        self.connections = connections
        self.timeouts = timeouts
        self.hooks = hooks
        if let progress { self.progress = ProgressHandler(progress) }
    }
}

extension DownloadOptions {
    /// These options with the nearest number of connections that a download may have.
    var withValidConnections: DownloadOptions {
        var options = self
        options.connections = min(max(connections, Self.connectionCounts.lowerBound), Self.connectionCounts.upperBound)
        return options
    }
}

/// The action of a download if its destination exists.
///
/// A folder, a symbolic link or another special file at the destination is never replaced: the download fails with
/// ``SessionErrorCode/cannotMove``, or gets another name with ``rename``.
public enum DownloadConflict: String, Sendable, Hashable, CaseIterable {
    /// Replaces the file, in one step: readers see either the old file or the complete new one.
    case overwrite
    /// Selects the first free name of `name (1).ext`, `name (2).ext` and so on.
    ///
    /// An ending of more than 16 bytes, with its dot, is no extension.
    ///
    /// A name is taken by anything that has it, also by a folder or by a symbolic link. The file system must support
    /// renaming that replaces nothing, or hard links, as for ``fail``.
    case rename
    /// Fails with ``SessionErrorCode/exists``: before the content is received, or at the end if the file was created
    /// meanwhile.
    case fail
}
