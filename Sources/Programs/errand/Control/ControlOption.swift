import ArgumentParser
import Foundation
import Glibc

/// The option for the control socket, shared by the commands that ask the running gateway.
struct ControlOption: ParsableArguments {
    @Option(
        help: """
            The control socket of the gateway. Default: $ERRAND_CONTROL, else that of the gateway that runs with this \
            configuration file.
            """)
    var control: String?

    /// The path that the user has chosen, by the option or by the environment; `nil` for that of the configuration file.
    ///
    /// A chosen path stands alone: no other gateway is asked instead.
    var chosenPath: String? {
        control ?? ControlSocket.chosenPath(ProcessInfo.processInfo.environment)
    }

    /// Returns the connection to the gateway that runs with a configuration file, which need not exist any more.
    func client(configuration file: String) -> ControlClient {
        if let chosenPath { return ControlClient(candidates: [ControlSocket(path: chosenPath)]) }
        var candidates = ControlSocket.candidates(
            configuration: file, environment: ProcessInfo.processInfo.environment)
        if geteuid() == 0 { candidates += ControlSocket.ofAllUsers(configuration: file) }
        return ControlClient(candidates: candidates)
    }
}
