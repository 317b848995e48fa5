import Synchronization

/// Records entries in the order in which they are added.
final class Trace: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var text: String { entries.withLock { $0.joined(separator: " ") } }
}
