import Foundation

extension Process {
    /// Ends a program that keeps nothing. One that was started from a thread of Swift's pool has inherited that thread's mask of
    /// signals, and hears no request to end.
    func endAtOnce() { kill(processIdentifier, SIGKILL) }
}
