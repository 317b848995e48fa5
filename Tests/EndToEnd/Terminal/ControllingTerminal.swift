import Foundation
import Glibc

/// Starts programs with a pseudo-terminal as their controlling terminal and as standard input, output and error.
enum ControllingTerminal {
    /// POSIX_SPAWN_SETSID of <spawn.h>, which is not visible in Swift.
    private static let startsSession: Int16 = 0x80

    /// Starts the program in a new session. `env` only changes the folder, and is then replaced by the program.
    ///
    /// - Returns: The process id.
    static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String], in folder: String, on terminal: PseudoTerminal
    ) throws -> pid_t {
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        var (none, all) = (sigset_t(), sigset_t())
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A shell lets programs that it starts in the background ignore Ctrl-C, and so would the program under test.
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | startsSession)
        // The first terminal that the leader of a session opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, terminal.devicePath, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)

        var processID = pid_t()
        let failure = withCStrings(["env", "--chdir=\(folder)", executable] + arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&processID, "/usr/bin/env", &actions, &attributes, arguments, environment)
            }
        }
        guard failure == 0 else { throw POSIXError(.init(rawValue: failure) ?? .EIO) }
        return processID
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: The exit code, or the negative number of the signal that ended the process.
    static func wait(for processID: pid_t) -> Int32 {
        var status: Int32 = 0
        // Blocks: a thread of its own.
        while waitpid(processID, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
