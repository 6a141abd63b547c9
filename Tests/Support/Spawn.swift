import CErrandLinux
import ErrandFiles
import Glibc

/// The parameters of a new process: `posix_spawn(3)`, with only the three standard descriptors.
struct Spawn {
    /// The path of the program.
    var executable: String
    /// The arguments after its name.
    var arguments: [String]
    /// The complete environment.
    var environment: [String: String]
    /// The working directory; `nil` for the caller's own.
    var directory: String?
    /// Its standard input.
    var input: Int32
    /// Its standard output.
    var output: Int32
    /// Its standard error.
    var errors: Int32

    /// Starts the process.
    ///
    /// - Returns: The number of the process, which the caller must wait for.
    func start() throws(SystemFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (source, target) in [(input, 0), (output, 1), (errors, 2)] as [(Int32, Int32)] {
            posix_spawn_file_actions_adddup2(&actions, source, target)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program does not inherit blocked or ignored signals of the test.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var id: pid_t = 0
        let code = Self.withCStrings([executable] + arguments) { arguments in
            Self.withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&id, executable, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemFailure("posix_spawn \(executable)", number: code) }
        return id
    }

    /// Calls `body` with a list of C strings that ends in a null pointer.
    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() { list[index] = strdup(text) }
        list[texts.count] = nil
        defer {
            for index in texts.indices { free(list[index]) }
            list.deallocate()
        }
        return body(list)
    }
}
