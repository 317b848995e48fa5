package import DoorwardControl
package import DoorwardDomain
package import DoorwardPolicy

/// A tenancy for benchmarks. Each portfolio has one property with several units; each unit has one tenant and several devices. By
/// default the devices are locks of the simulator without travel time.
package struct Fleet: Sendable {
    /// A user who may operate the devices of one unit.
    package struct Tenant: Sendable {
        package let user: User
        package let devices: [DeviceID]
    }

    /// The transport of a device.
    package struct Way: Sendable {
        /// The adapter's kind.
        package var adapter: String
        /// The address in the adapter's format.
        package var address: [String: JSONValue]

        package init(adapter: String, address: [String: JSONValue]) { (self.adapter, self.address) = (adapter, address) }

        /// A lock of the simulator without travel time.
        package static var simulated: Way {
            Way(adapter: "simulator", address: ["latencyMs": .integer(0), "jitterMs": .integer(0)])
        }
    }

    /// The password of all tenants.
    package static let password = "a measured password"

    /// The changes that create the tenancy, parents before children.
    package private(set) var changes: [TenancyChange] = []
    package private(set) var tenants: [Tenant] = []
    /// Every device by its id.
    package private(set) var allDevices: [DeviceID: LockDevice] = [:]
    /// The first device of each tenant.
    package private(set) var devices: [LockDevice] = []
    private let random = RandomSource()
    private let now = SystemClock().now()

    /// - Parameter way: returns the transport of the device with the given number. Devices are numbered across all portfolios.
    package init(
        portfolios: Int, unitsPerPortfolio: Int = 8, devicesPerUnit: Int = 6, way: (_ number: Int) -> Way = { _ in .simulated }
    ) {
        for number in 0..<portfolios {
            let portfolio = Portfolio(id: random.id(at: now), name: "Portfolio \(number)", createdAt: now, updatedAt: now)
            let property = Property(
                id: random.id(at: now), name: "Property \(number)", portfolioID: portfolio.id,
                defaultTimeZone: "Europe/Berlin", createdAt: now, updatedAt: now)
            changes += [.putPortfolio(portfolio), .putProperty(property)]
            for index in 0..<unitsPerPortfolio { addUnit("Flat \(index)", in: property, devicesPerUnit, way) }
        }
    }

    package var deviceCount: Int { tenants.reduce(0) { $0 + $1.devices.count } }

    /// The changes that make a user the owner of all portfolios.
    package func ownership(of owner: User) -> [TenancyChange] {
        var found: [TenancyChange] = [.putUser(owner)]
        for case .putPortfolio(let portfolio) in changes {
            found.append(
                .putAssociation(
                    UserRoleAssociation(
                        id: random.id(at: now), userID: owner.id, entity: .portfolio(portfolio.id), role: .owner, createdAt: now,
                        updatedAt: now)))
        }
        return found
    }

    /// Returns a transaction that creates the whole tenancy, with a password for each tenant.
    package func transaction(passwordHash: String) -> StoreTransaction {
        StoreTransaction(
            changes: changes, credentials: tenants.map { .setPassword($0.user.id, hash: passwordHash) })
    }

    private mutating func addUnit(_ name: String, in property: Property, _ devicesPerUnit: Int, _ way: (Int) -> Way) {
        let unit = DoorwardDomain.Unit(
            id: random.id(at: now), name: name, propertyID: property.id, portfolioID: property.portfolioID, createdAt: now,
            updatedAt: now)
        let user = User(
            id: random.id(at: now), email: "tenant\(tenants.count)@example.org", firstName: "Tessa",
            lastName: "Tenant \(tenants.count)", createdAt: now, updatedAt: now)
        let first = allDevices.count
        let devices = (0..<devicesPerUnit).map { index in
            let reached = way(first + index)
            return LockDevice(
                id: random.id(at: now), name: "Door \(index)", adapter: reached.adapter, address: reached.address,
                portfolioID: property.portfolioID, propertyID: property.id, unitID: unit.id, capabilities: .all, createdAt: now,
                updatedAt: now)
        }
        changes += [.putUnit(unit), .putUser(user)] + devices.map { .putDevice($0) }
        changes.append(
            .putAssociation(
                UserRoleAssociation(
                    id: random.id(at: now), userID: user.id, entity: .unit(unit.id), role: .tenant, createdAt: now,
                    updatedAt: now)))
        tenants.append(Tenant(user: user, devices: devices.map(\.id)))
        for device in devices { allDevices[device.id] = device }
        self.devices += devices.prefix(1)
    }
}
