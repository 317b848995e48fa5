package import DoorwardAdapterKit

/// The adapters of this gateway, by kind. Which there are is decided at the start and never changes.
package struct AdapterRegistry: Sendable {
    private let adapters: [String: any LockAdapter]

    /// - Parameter adapters: of two with one kind, the first counts.
    package init(_ adapters: [any LockAdapter]) {
        self.adapters = Dictionary(adapters.map { ($0.kind, $0) }) { first, _ in first }
    }

    /// The adapter of that kind; `nil` where the gateway was started without it.
    package subscript(_ kind: String) -> (any LockAdapter)? { adapters[kind] }

    /// In the order of their names.
    package var all: [any LockAdapter] { adapters.sorted { $0.key < $1.key }.map(\.value) }
}
