extension Wire {
    /// A lock that an adapter has discovered and that is not attached.
    package struct DiscoveredDevice: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "discoveredDevices"

        /// The adapter's id of the lock, which does not change while the lock is discovered.
        package var id: String
        /// The lock's name in the system that it belongs to; `nil` if that system provides none.
        package var name: String?
        /// The manufacturer, if that system provides it.
        package var manufacturer: String?
        /// The manufacturer's model name, if that system provides it.
        package var model: String?
        /// The kind of the adapter that has discovered the lock.
        package var adapter: String
        /// The address for attaching the lock, in the form of `POST /devices`.
        package var address: [String: Value]
        /// The capabilities of the lock, such as `UNLATCH`; `nil` if they are not known before it is attached.
        package var capabilities: [String]?
        /// The reason why the lock cannot be attached with this address, as a sentence; `nil` if it can be attached.
        package var problem: String?
        /// When the gateway first received a message about the lock since its start.
        package var firstSeenAt: String
        /// When the gateway last received a message about the lock.
        package var lastSeenAt: String
    }
}
