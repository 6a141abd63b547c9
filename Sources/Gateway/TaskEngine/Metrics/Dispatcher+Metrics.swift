package import ErrandMetrics
import ErrandSessionCore
import ErrandTaskAdmission
package import ErrandTaskStore

/// The metrics of tasks and sessions.
///
/// The values of `session` are the names of the configuration, and the other labels have a fixed set of values.
extension Dispatcher {
    /// Writes the metrics of tasks and sessions.
    ///
    /// Waits at most ``ClientPatience/metrics`` for the store, and leaves out what it does not tell.
    ///
    /// - Parameter counts: The current number of tasks.
    package func writeMetrics(_ counts: TaskCounts, to writer: inout MetricsWriter) async {
        let names = context.sessions.names
        let ages = await queueAges(of: names)
        write(counts, of: names, to: &writer)
        write(names.map { ($0, context.meters[$0]) }, to: &writer)
        writeQueues(counts, of: names, ages: ages, to: &writer)
        writeConditions(of: names, to: &writer)
        writeConnections(of: names, to: &writer)
        writeSpans(to: &writer)
    }

    private func write(_ counts: TaskCounts, of names: [String], to writer: inout MetricsWriter) {
        writer.family("errand_tasks", kind: .gauge, help: "Stored tasks by state and kind.")
        // The store may have tasks of sessions that are no longer configured.
        for session in names + counts.sessions.filter({ !names.contains($0) }) {
            for state in TaskState.allCases {
                for kind in TaskKind.allCases {
                    writer.sample(
                        counts[session, state, kind],
                        [("session", session), ("state", state.rawValue), ("kind", kind.rawValue)])
                }
            }
        }
        writer.family("errand_attempts_running", kind: .gauge, help: "Attempts under way.")
        for session in names { writer.sample(running(session: session), [("session", session)]) }
    }

    private func write(_ meters: [(String, SessionMeter)], to writer: inout MetricsWriter) {
        writer.family("errand_tasks_finished", kind: .counter, help: "Tasks that ended, by kind and outcome.")
        for (session, meter) in meters {
            for kind in TaskKind.allCases {
                for outcome in SessionMeter.outcomes {
                    writer.sample(
                        meter.finished(kind, outcome),
                        [("session", session), ("kind", kind.rawValue), ("outcome", outcome.rawValue)])
                }
            }
        }
        writer.family(
            "errand_task_duration_seconds", kind: .histogram, help: "Time from the creation of a task to its end.")
        for (session, meter) in meters { writer.sample(meter.taskSeconds, [("session", session)]) }
        writer.family(
            "errand_attempts", kind: .counter, help: "Attempts that ended, by class of the response's status.")
        for (session, meter) in meters {
            for (name, count) in zip(SessionMeter.statusClasses, meter.attempts) {
                writer.sample(count, [("session", session), ("status_class", name)])
            }
        }
        writer.family("errand_attempt_errors", kind: .counter, help: "Attempts that failed, by error code.")
        for (session, meter) in meters {
            for code in SessionErrorCode.allCases {
                guard let count = meter.errors[code] else { continue }
                writer.sample(count, [("session", session), ("code", code.rawValue)])
            }
        }
        writer.family("errand_attempt_duration_seconds", kind: .histogram, help: "Time of an attempt.")
        for (session, meter) in meters { writer.sample(meter.attemptSeconds, [("session", session)]) }
        writer.family("errand_attempt_phase_duration_seconds", kind: .histogram, help: "Time of a phase of an attempt.")
        for (session, meter) in meters {
            for phase in AttemptPhase.allCases {
                let seconds = meter.seconds(of: phase)
                // Most sessions do not have all phases, and each costs a dozen lines.
                guard seconds.counts.contains(where: { $0 > 0 }) else { continue }
                writer.sample(seconds, [("session", session), ("phase", phase.label)])
            }
        }
        writer.family(
            "errand_queue_wait_seconds", kind: .histogram, help: "Time for which a task could have started but waited.")
        for (session, meter) in meters { writer.sample(meter.waitSeconds, [("session", session)]) }
        writer.family("errand_retries", kind: .counter, help: "Attempts after the first of their task.")
        for (session, meter) in meters { writer.sample(meter.retries, [("session", session)]) }
        writer.family("errand_sent_content_bytes", kind: .counter, help: "Content of requests that was sent.")
        for (session, meter) in meters { writer.sample(meter.sentBytes, [("session", session)]) }
        writer.family(
            "errand_received_content_bytes", kind: .counter, help: "Content of responses that was received, decoded.")
        for (session, meter) in meters { writer.sample(meter.receivedBytes, [("session", session)]) }
    }

    private func writeQueues(
        _ counts: TaskCounts, of names: [String], ages: [String: Double], to writer: inout MetricsWriter
    ) {
        writer.family(
            "errand_queue_age_seconds", kind: .gauge, help: "Time for which the first task of the queue has waited.")
        for session in names {
            guard let age = ages[session] else { continue }
            writer.sample(age, [("session", session)])
        }
        writer.family("errand_callbacks_pending", kind: .gauge, help: "Deliveries of callbacks that have not ended.")
        for session in names { writer.sample(counts.pendingCallbacks(session), [("session", session)]) }
        writer.family(
            "errand_waiting_requests", kind: .gauge, help: "Requests that wait for a task to change or to end.")
        writer.sample(context.watchers.count)
    }

    private func writeConditions(of names: [String], to writer: inout MetricsWriter) {
        let conditions = names.map { ($0, self.conditions(of: $0)) }
        writer.family(
            "errand_session_hold", kind: .gauge, help: "1 for the reason why queued tasks of the session wait.")
        for (session, conditions) in conditions {
            for reason in WaitReason.allCases {
                writer.sample(
                    conditions?.waitReason == reason ? 1 : 0, [("session", session), ("reason", reason.rawValue)])
            }
        }
        writer.family("errand_session_circuit", kind: .gauge, help: "1 for the state of the session's circuit breaker.")
        for (session, conditions) in conditions {
            for state in SessionConditions.Circuit.allCases {
                writer.sample(conditions?.circuit == state ? 1 : 0, [("session", session), ("state", state.rawValue)])
            }
        }
    }

    private func writeSpans(to writer: inout MetricsWriter) {
        let spans = context.spans.counts
        writer.family("errand_spans_waiting", kind: .gauge, help: "Spans that wait for the collector.")
        writer.sample(spans.waiting)
        writer.family("errand_spans_sent", kind: .counter, help: "Spans that the collector has taken.")
        writer.sample(spans.sent)
        writer.family("errand_spans_lost", kind: .counter, help: "Spans that the collector never took.")
        writer.sample(spans.lost)
    }

    private func writeConnections(of names: [String], to writer: inout MetricsWriter) {
        let connections = names.compactMap { name in
            context.sessions.generation(of: name)?.connections.map { (name, $0) }
        }
        writer.family("errand_connections", kind: .gauge, help: "Open connections to upstreams.")
        for (session, counts) in connections {
            writer.sample(counts.open - counts.idle, [("session", session), ("state", "active")])
            writer.sample(counts.idle, [("session", session), ("state", "idle")])
        }
    }
}
