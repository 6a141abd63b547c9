import ErrandBodyFiles
import ErrandConfiguration
import ErrandDownloads
import ErrandFiles
import ErrandTaskStoreSQLite

extension FolderClaim.Owner {
    /// Creates the owner for a task store.
    init(_ store: StoreIdentity) {
        self.init(name: store.name, mayHaveFiles: store.hasHadTasks)
    }
}

extension FolderClaim {
    /// Claims the data directory, which is created if it is missing.
    convenience init(data: String, by owner: Owner) throws(StartError) {
        let what = "the data directory \(data) (files.data)"
        do throws(SystemFailure) {
            try Folder.makeWithParents(data)
        } catch {
            throw StartError(what, error)
        }
        do throws(Failure) {
            try self.init(data, by: owner) { () throws(SystemFailure) in
                for kind in StoreCopy.FileReference.Kind.allCases
                where try BodyFiles.exist(in: data, name: kind.rawValue) {
                    return true
                }
                return false
            }
        } catch {
            throw StartError(what, error, remedy: error.remedy)
        }
    }
}

extension DownloadFolder {
    /// Creates the folder of downloads, and claims the partial files in it.
    convenience init(_ files: FilesConfiguration, ownedBy owner: FolderClaim.Owner) throws(StartError) {
        self.init(path: files.downloadsDirectory, minFreeBytes: Int64(files.minFreeBytes), owner: owner)
        do throws(FolderClaim.Failure) {
            try claimPartialFiles()
        } catch {
            throw StartError("the partial files in \(path) (files.downloads)", error, remedy: error.remedy)
        }
    }
}

extension FolderClaim.Failure {
    /// The action by which an operator lets the gateway start; `nil` if the description says it.
    var remedy: String? {
        let right = "mount or configure the task store of the folder (store.sqlite.path), use another folder, or"
        return switch self {
        case .otherOwner(let folder):
            "\(right), if that store is gone, delete \(FolderClaim.markPath(in: folder))"
        case .unmarkedFiles: "\(right), if that store is gone, delete the files"
        case .inUse: "stop the other gateway, or use another folder"
        case .system: nil
        }
    }
}
