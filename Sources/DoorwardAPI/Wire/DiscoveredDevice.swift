extension Wire {
    /// A lock that an adapter has found and nobody has attached.
    package struct DiscoveredDevice: Decodable, Equatable, Sendable {
        /// The adapter's own; it stays as long as the lock is told of.
        package var id: String
        /// What its own system calls it; `nil` where that says nothing.
        package var name: String?
        /// Who made it, as far as its own system says.
        package var manufacturer: String?
        /// The maker's name for it, as far as its own system says.
        package var model: String?
        /// The kind of adapter to attach it with.
        package var adapter: String
        /// The address to attach it with, as `POST /devices` takes it.
        package var address: [String: Value]
        /// What it can do, such as `UNLATCH`; `nil` where only attaching it tells.
        package var capabilities: [String]?
        /// Why it cannot be attached as it stands, as a sentence; `nil` when it can.
        package var problem: String?
        /// When the gateway heard of it first since it was started.
        package var firstSeenAt: String
        /// When the gateway heard of it last.
        package var lastSeenAt: String
    }

    /// `data` of a page of these.
    package struct DiscoveredDevicePage: Decodable, Sendable {
        /// In the order that was asked for.
        package var discoveredDevices: [DiscoveredDevice]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
