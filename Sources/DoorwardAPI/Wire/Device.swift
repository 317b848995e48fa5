extension Wire {
    /// A lock.
    package struct Device: Decodable, Equatable, Sendable {
        /// Opaque; a UUID in lower case as gateways make them.
        package var id: String
        /// Given by people: it may hold any character but control characters, and need not be the only one.
        package var name: String
        /// The kind of adapter, such as `simulator`.
        package var adapter: String?
        /// What the adapter finds it by.
        package var address: [String: Value]?
        /// Who made it, as far as anybody said.
        package var manufacturer: String?
        /// The maker's name for it, as far as anybody said.
        package var model: String?
        /// `nil` where nobody said.
        package var firmwareVersion: String?
        /// `nil` of one that was detached from its property.
        package var portfolioId: String?
        /// `nil` of one that was detached from its property.
        package var propertyId: String?
        /// Seen also by those who do not see the id.
        package var propertyName: String?
        /// `nil` of one that hangs on no unit.
        package var unitId: String?
        /// `nil` of one that hangs on no unit: a front door, a bicycle cellar.
        package var unitName: String?
        /// Whether anybody moves it through the gateway.
        package var isRemoteOperationEnabled: Bool?
        /// `nil` while nobody knows.
        package var isOnline: Bool?
        /// When it was heard of last; `nil` if never.
        package var lastSeen: String?
        /// `LOCKED UNLOCKED LOCKING UNLOCKING UNLATCHED JAMMED UNKNOWN`; only `LOCKED` is secure.
        package var state: String?
        /// How good the knowledge of the state is: `CONFIRMED RETAINED ASSUMED STALE`.
        package var stateQuality: String?
        /// Since when the state is known.
        package var stateAt: String?
        /// `OPEN CLOSED UNKNOWN`.
        package var doorState: String?
        /// Percent.
        package var batteryLevel: Int?
        /// By its own judgement; `nil` where it says nothing of it.
        package var batteryLow: Bool?
        /// What is wrong with it, in words of its adapter; empty if nothing is.
        package var faults: [String]?
        /// What the lock can do, such as `UNLATCH`.
        package var capabilities: [String]?
        /// What is set on it.
        package var settings: Settings?
        /// What people keep beside it.
        package var metadata: [String: Value]?
        /// When it was attached.
        package var createdAt: String?
        /// When it was changed last; what it reports is no change.
        package var updatedAt: String?

        /// What is set on a lock.
        package struct Settings: Decodable, Equatable, Sendable {
            /// `nil` where it does not lock itself, or nobody knows.
            package var autoRelockSeconds: Int?
            /// Whether the gateway keeps a code that goes along with commands.
            package var hasCode: Bool
        }
    }

    /// `data` of an answer about one lock.
    package struct DeviceAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var device: Device
    }

    /// `data` of a page of locks.
    package struct DevicePage: Decodable, Sendable {
        /// In the order that was asked for.
        package var devices: [Device]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
