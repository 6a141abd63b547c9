package import ErrandCryptography
package import ErrandTaskStore

extension SealedTaskStore {
    /// A schedule, or the cookies of a session, with a key that is not the first of the ring.
    package struct FormerlySealed: Sendable, Hashable {
        /// The schedule or the session.
        package var subject: Subject
        /// The result of sealing it again.
        package var outcome: Outcome

        /// An item that stays in the store without a time limit, unlike tasks.
        package enum Subject: Sendable, Hashable {
            /// The definition of a schedule.
            case schedule(String)
            /// Cookies of a session.
            case cookies(session: String)
        }

        /// The result of sealing an item again.
        package enum Outcome: Sendable, Hashable {
            /// It is sealed with the first key now.
            case sealedAgain
            /// It cannot be read without this key, and was not changed.
            case missingKey(SealingKeyID)
            /// It could not be opened, sealed or stored; the stored values were not changed.
            case failed(TaskStoreError)
        }
    }

    /// Seals schedules and cookies again with the first key, as a gateway does when it starts.
    ///
    /// Retention removes tasks with their keys, but neither schedules nor cookies: without this, they would need a
    /// former key forever. All of them are read, and those that need it are written, durably. Values that were stored
    /// before there was a key stay as they are. A schedule of the configuration with a missing key is left out, because
    /// the configuration replaces its definition.
    ///
    /// Other writes have to wait until it returns.
    ///
    /// - Returns: The items that another key had sealed, schedules first; empty if there is nothing to do.
    /// - Throws: An error of the store when it looks for schedules and sessions.
    package func sealAgain() async throws(TaskStoreError) -> [FormerlySealed] {
        let schedules = try await base.schedules()
        let outcomes = await sealAgain(schedules)
        var found = schedules.compactMap { schedule in
            outcomes[schedule.name].map { FormerlySealed(subject: .schedule(schedule.name), outcome: $0) }
        }
        for session in try await base.sessionsWithCookies() {
            found += await sealAgain(cookiesOf: session).map {
                FormerlySealed(subject: .cookies(session: session), outcome: $0)
            }
        }
        return found
    }

    // MARK: Schedules

    /// Seals those of the schedules that need it; returns their outcomes by name.
    private func sealAgain(_ schedules: [ScheduleRecord]) async -> [String: FormerlySealed.Outcome] {
        // Concurrently, so that many schedules share the store's commits.
        await withTaskGroup(
            of: (name: String, outcome: FormerlySealed.Outcome?).self,
            returning: [String: FormerlySealed.Outcome].self
        ) { group in
            for schedule in schedules {
                guard let key = sealer.formerKey(of: schedule) else { continue }
                group.addTask { (schedule.name, await sealAgain(schedule, sealedWith: key)) }
            }
            var outcomes: [String: FormerlySealed.Outcome] = [:]
            for await result in group { outcomes[result.name] = result.outcome }
            return outcomes
        }
    }

    private func sealAgain(
        _ schedule: ScheduleRecord, sealedWith key: SealingKeyID
    ) async -> FormerlySealed.Outcome? {
        guard sealer.keys.keyIDs.contains(key) else {
            return schedule.origin == .api ? .missingKey(key) : nil
        }
        do throws(TaskStoreError) {
            let sealed = try sealer.sealing(sealer.opening(schedule))
            // The revision stays: nothing changes for clients.
            let isStored = try await base.put(sealed, expecting: schedule.revision, inserting: nil)
            return isStored ? .sealedAgain : nil
        } catch {
            return .failed(error)
        }
    }

    // MARK: Cookies

    /// Seals those of a session's cookies that need it, all of them or none; returns each outcome once.
    private func sealAgain(cookiesOf session: String) async -> [FormerlySealed.Outcome] {
        var outcomes: [FormerlySealed.Outcome] = []
        do throws(TaskStoreError) {
            var changes: [StoredCookieChange] = []
            for var cookie in try await base.cookies(session: session) {
                guard let key = sealer.formerKey(of: cookie) else { continue }
                guard sealer.keys.keyIDs.contains(key) else {
                    if !outcomes.contains(.missingKey(key)) { outcomes.append(.missingKey(key)) }
                    continue
                }
                cookie.value = try sealer.opening(valueOf: cookie, session: session)
                cookie.value = try sealer.sealing(valueOf: cookie, session: session)
                changes.append(.set(cookie))
            }
            guard !changes.isEmpty else { return outcomes }
            try await base.update(cookies: changes, session: session)
            outcomes.append(.sealedAgain)
        } catch {
            outcomes.append(.failed(error))
        }
        return outcomes
    }
}

extension DocumentSealer {
    /// Returns the key of a stored schedule if it is sealed with another key than the first.
    fileprivate func formerKey(of schedule: ScheduleRecord) -> SealingKeyID? {
        formerKey(of: schedule.definition)
    }

    /// Returns the key of a stored cookie if it is sealed with another key than the first.
    fileprivate func formerKey(of cookie: StoredCookie) -> SealingKeyID? {
        // A damaged text names no key; opening it reports the error.
        guard SealedText.isSealed(cookie.value), let sealed = try? SealedText.decode(cookie.value) else { return nil }
        return formerKey(of: sealed)
    }

    private func formerKey(of bytes: [UInt8]) -> SealingKeyID? {
        guard let id = SealedForm.keyID(of: bytes), id != keys.keyIDs.first else { return nil }
        return id
    }
}
