package import DoorwardAdapterKit
import Synchronization

/// The adapters of this gateway, by kind. Which there are is decided at the start and never changes.
package struct AdapterRegistry: Sendable {
    /// The state of an adapter's start.
    enum Start: Hashable, Sendable {
        case pending
        case started
        /// Why it has not started so far, for an operator.
        case failed(String)
    }

    private final class Starts: Sendable {
        let byKind = Mutex<[String: Start]>([:])
    }

    private let adapters: [String: any LockAdapter]
    private let starts = Starts()

    /// - Parameter adapters: of two with one kind, the first counts.
    package init(_ adapters: [any LockAdapter]) {
        self.adapters = Dictionary(adapters.map { ($0.kind, $0) }) { first, _ in first }
    }

    /// The adapter of that kind; `nil` where the gateway was started without it.
    package subscript(_ kind: String) -> (any LockAdapter)? { adapters[kind] }

    /// In the order of their names.
    package var all: [any LockAdapter] { adapters.sorted { $0.key < $1.key }.map(\.value) }

    func start(of kind: String) -> Start { starts.byKind.withLock { $0[kind] ?? .pending } }

    func setStart(_ start: Start, of kind: String) { starts.byKind.withLock { $0[kind] = start } }

    /// - Returns: false, and nothing changes, where the adapter has started meanwhile.
    func noteFailure(_ reason: String, of kind: String) -> Bool {
        starts.byKind.withLock { starts in
            guard starts[kind] != .started else { return false }
            starts[kind] = .failed(reason)
            return true
        }
    }

    /// Whether orders can be handed to the adapter and locks attached to it.
    func isStarted(_ kind: String) -> Bool { start(of: kind) == .started }

    /// Why an adapter has not started; `nil` while nothing has gone wrong.
    func problem(of adapter: any LockAdapter) -> String? {
        if case .failed(let reason) = start(of: adapter.kind) { reason } else { nil }
    }

    /// An adapter's health; an adapter that has not started has none.
    func health(of adapter: any LockAdapter) -> AdapterHealth { isStarted(adapter.kind) ? adapter.health : .down }
}
