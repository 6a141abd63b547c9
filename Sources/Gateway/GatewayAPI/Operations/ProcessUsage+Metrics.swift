import ErrandFiles
import ErrandMetrics

extension ProcessUsage {
    /// Writes the metrics of the process, with the names that collectors expect of any program.
    ///
    /// Unknown values are left out.
    func writeMetrics(to writer: inout MetricsWriter) {
        if let residentBytes {
            writer.family("process_resident_memory_bytes", kind: .gauge, help: "Resident memory of the process.")
            writer.sample(residentBytes)
        }
        if let processorSeconds {
            writer.family("process_cpu_seconds", kind: .counter, help: "Processor time in user and system mode.")
            writer.sample(processorSeconds)
        }
        if let threads {
            writer.family("process_threads", kind: .gauge, help: "Threads of the process.")
            writer.sample(threads)
        }
        if let openDescriptors {
            writer.family("process_open_fds", kind: .gauge, help: "Open descriptors of the process.")
            writer.sample(openDescriptors)
        }
        if let maxDescriptors {
            writer.family("process_max_fds", kind: .gauge, help: "Descriptors that the process may open.")
            writer.sample(maxDescriptors)
        }
        if let startSeconds {
            writer.family(
                "process_start_time_seconds", kind: .gauge,
                help: "Start of the process, in seconds since the start of 1970.")
            writer.sample(startSeconds)
        }
    }
}
