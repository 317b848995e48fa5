import Foundation

extension Process {
    /// Kills the program with SIGKILL; it stores nothing that could be lost. Other signals may not reach it, because a program
    /// that was started from a thread of Swift's pool inherits that thread's signal mask.
    func killNow() { kill(processIdentifier, SIGKILL) }
}
