extension Wire {
    /// A lock that an adapter has discovered and that is not attached.
    package struct DiscoveredDevice: Decodable, Equatable, Sendable {
        /// The adapter's id for it, which is stable while the lock is reported.
        package var id: String
        /// The lock's name in the system that it belongs to; `nil` if that system provides none.
        package var name: String?
        /// The manufacturer, if that system provides it.
        package var manufacturer: String?
        /// The manufacturer's model name, if that system provides it.
        package var model: String?
        /// The kind of adapter to attach it with.
        package var adapter: String
        /// The address to attach it with, as `POST /devices` takes it.
        package var address: [String: Value]
        /// Its capabilities, such as `UNLATCH`; `nil` if they are known only after attaching.
        package var capabilities: [String]?
        /// The reason why it cannot be attached as it is, as a sentence; `nil` if it can.
        package var problem: String?
        /// When it was first reported since the gateway started.
        package var firstSeenAt: String
        /// When it was last reported.
        package var lastSeenAt: String
    }

    /// `data` of a page of discovered locks.
    package struct DiscoveredDevicePage: Decodable, Sendable {
        /// The locks in the requested order.
        package var discoveredDevices: [DiscoveredDevice]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }
}
