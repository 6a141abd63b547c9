import ArgumentParser
import Foundation

/// The option for the control socket, shared by the commands that ask the running gateway.
struct ControlOption: ParsableArguments {
    @Option(
        help: """
            The control socket of the gateway. Default: $ERRAND_CONTROL, else that of the gateway that runs with this \
            configuration file.
            """)
    var control: String?

    /// The path that the user has chosen, by the option or by the environment; `nil` for that of the configuration.
    ///
    /// A chosen path stands alone: no other gateway is asked instead.
    var chosenPath: String? {
        control ?? ControlSocket.chosenPath(ProcessInfo.processInfo.environment)
    }

    /// Returns the connection to the gateway that runs with a configuration file, which need not exist any more.
    func client(configuration file: String) -> ControlClient {
        if let chosenPath {
            return ControlClient(configuration: file, candidates: [ControlSocket(path: chosenPath)], others: [])
        }
        return ControlClient(
            configuration: file,
            candidates: ControlSocket.candidates(
                configuration: file, environment: ProcessInfo.processInfo.environment),
            others: ControlSocket.ofOtherUsers(configuration: file))
    }
}
