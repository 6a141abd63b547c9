import ErrandTaskStore
import ErrandTaskStoreSealed
import Logging

/// The check of the keys of a store when the gateway starts, before tasks run, with its log lines.
struct KeyCheck {
    /// The store, which no other part uses yet.
    let store: SealedTaskStore
    let logger: Logger

    /// Logs which keys are missing, and seals schedules and cookies again with the first key.
    ///
    /// A failure to seal them again is logged only: the former key still opens them, and the next start tries again.
    ///
    /// - Throws: An error of the store when it reads tasks.
    func run() async throws(TaskStoreError) {
        for key in try await store.missingKeys() {
            logger.error(
                "Tasks are sealed with keys that are missing in store.encryption_keys",
                metadata: ["key": "\(key.id)", "task": "\(key.task)"])
        }
        do throws(TaskStoreError) {
            log(try await store.sealAgain())
        } catch {
            logger.warning(
                "Schedules and cookies could not be checked for former keys of store.encryption_keys; keep these keys",
                metadata: ["error": "\(error.debugDescription)"])
        }
    }

    private func log(_ found: [SealedTaskStore.FormerlySealed]) {
        var sealedAgain = (schedules: 0, sessions: 0)
        for item in found {
            switch (item.outcome, item.subject) {
            case (.sealedAgain, .schedule): sealedAgain.schedules += 1
            case (.sealedAgain, .cookies): sealedAgain.sessions += 1
            case (.missingKey(let key), .schedule(let name)):
                logger.error(
                    "Schedules are sealed with keys that are missing in store.encryption_keys",
                    metadata: ["key": "\(key)", "schedule": "\(name)"])
            case (.missingKey(let key), .cookies(let session)):
                logger.error(
                    "Cookies are sealed with keys that are missing in store.encryption_keys",
                    metadata: ["key": "\(key)", "session": "\(session)"])
            case (.failed(let error), .schedule(let name)):
                warn(of: error, about: ["schedule": "\(name)"])
            case (.failed(let error), .cookies(let session)):
                warn(of: error, about: ["session": "\(session)"])
            }
        }
        guard sealedAgain != (0, 0) else { return }
        logger.notice(
            "Schedules and cookies were sealed again with the first of store.encryption_keys",
            metadata: [
                "schedules": .stringConvertible(sealedAgain.schedules),
                "sessions": .stringConvertible(sealedAgain.sessions),
            ])
    }

    private func warn(of error: TaskStoreError, about subject: Logger.Metadata) {
        var metadata = subject
        metadata["error"] = "\(error.debugDescription)"
        logger.warning(
            "Schedules or cookies could not be sealed again with the first of store.encryption_keys; keep their key",
            metadata: metadata)
    }
}
