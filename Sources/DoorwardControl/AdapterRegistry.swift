package import DoorwardAdapterKit
import Synchronization

/// The adapters of this gateway, by kind. The set is fixed at the start.
package struct AdapterRegistry: Sendable {
    /// The state of an adapter's start.
    enum Start: Hashable, Sendable {
        case pending
        case started
        /// The reason for the failure, for an operator.
        case failed(String)
    }

    private final class Starts: Sendable {
        let byKind = Mutex<[String: Start]>([:])
    }

    private let adapters: [String: any LockAdapter]
    private let starts = Starts()

    /// - Parameter adapters: if two have the same kind, the first is used.
    package init(_ adapters: [any LockAdapter]) {
        self.adapters = Dictionary(adapters.map { ($0.kind, $0) }) { first, _ in first }
    }

    /// The adapter of that kind; `nil` if the gateway was started without it.
    package subscript(_ kind: String) -> (any LockAdapter)? { adapters[kind] }

    /// All adapters, sorted by kind.
    package var all: [any LockAdapter] { adapters.sorted { $0.key < $1.key }.map(\.value) }

    func start(of kind: String) -> Start { starts.byKind.withLock { $0[kind] ?? .pending } }

    func setStart(_ start: Start, of kind: String) { starts.byKind.withLock { $0[kind] = start } }

    /// - Returns: false, without a change, if the adapter has started meanwhile.
    func noteFailure(_ reason: String, of kind: String) -> Bool {
        starts.byKind.withLock { starts in
            guard starts[kind] != .started else { return false }
            starts[kind] = .failed(reason)
            return true
        }
    }

    /// Whether commands can be sent through the adapter and locks be attached to it.
    func isStarted(_ kind: String) -> Bool { start(of: kind) == .started }

    /// Why an adapter has not started; `nil` if no failure has been noted.
    func problem(of adapter: any LockAdapter) -> String? {
        if case .failed(let reason) = start(of: adapter.kind) { reason } else { nil }
    }

    /// An adapter's health; `down` if it has not started.
    func health(of adapter: any LockAdapter) -> AdapterHealth { isStarted(adapter.kind) ? adapter.health : .down }
}
