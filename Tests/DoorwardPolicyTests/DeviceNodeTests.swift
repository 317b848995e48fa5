import DoorwardDomain
import Testing

@testable import DoorwardPolicy

@Suite struct DeviceNodeTests {
    private static let full = LockDevice(
        id: DeviceID(high: 1, low: 2), name: "Front door", adapter: "mqtt", address: ["topic": .string("door/1")],
        texts: [.manufacturer: "Maker", .model: "M1"], firmwareVersion: "1.2", portfolioID: PortfolioID(high: 3, low: 4),
        propertyID: PropertyID(high: 5, low: 6), unitID: UnitID(high: 7, low: 8), isRemoteOperationEnabled: false,
        capabilities: [.lock, .jam], settings: LockSettings(autoRelockSeconds: 30), sealedCode: [1, 2],
        metadata: ["floor": .string("2")],
        createdAt: Timestamp(milliseconds: 1), updatedAt: Timestamp(milliseconds: 2))

    /// The device with each combination of its optional values present or missing, including combinations that are invalid.
    private static let devices = (0..<16).map { bits in
        var device = full
        device.texts[.notes] = bits & 4 == 0 ? "Key box" : nil
        if bits & 1 != 0 { device.portfolioID = nil }
        if bits & 2 != 0 { device.propertyID = nil }
        if bits & 4 != 0 { device.unitID = nil }
        if bits & 8 != 0 {
            (device.isRemoteOperationEnabled, device.capabilities) = (true, .all)
            (device.texts[.manufacturer], device.texts[.model]) = (nil, nil)
            (device.firmwareVersion, device.settings) = (nil, LockSettings())
        }
        return device
    }

    @Test("A node and its details together restore the device", arguments: devices)
    func roundTrip(device: LockDevice) {
        var makes = RecentValues<Box<DeviceModel>>()
        var node = DeviceNode(device)
        let details = DeviceDetails(device, model: makes.shared(Box(DeviceModel(device))))
        #expect(details.device(node) == device)
        #expect(node.sharingSlot == nil)
        node.setSharing(slot: 3, isShared: true)
        #expect(node.isShared && node.sharingSlot == 3)
        node.setSharing(slot: 3, isShared: false)
        #expect(!node.isShared && node.sharingSlot == 3)
        #expect(details.device(node) == device)
    }

    @Test("A node is small and contains no reference-counted values")
    func size() {
        #expect(_isPOD(DeviceNode.self))
        #expect(MemoryLayout<DeviceNode>.stride <= 72)
    }

    @Test("Devices of one model share its object, and the last sixteen models are kept")
    func makes() {
        var makes = RecentValues<Box<DeviceModel>>()
        func make(_ number: Int) -> DeviceModel {
            var device = Self.full
            device.firmwareVersion = "\(number)"
            return DeviceModel(device)
        }
        let first = makes.shared(Box(make(0)))
        #expect(makes.shared(Box(make(0))) === first)
        for number in 1..<16 { #expect(makes.shared(Box(make(number))).value == make(number)) }
        #expect(makes.shared(Box(make(0))) === first)
        #expect(makes.shared(Box(make(16))).value == make(16))
        let again = makes.shared(Box(make(0)))
        #expect(again !== first && again.value == first.value)
    }

    @Test("Units with the same common-area doors share one list")
    func lists() {
        var directory = TenancyDirectory()
        let door = DeviceID(high: 7, low: 7)
        func put(_ number: UInt64, _ shared: [DeviceID]) {
            directory.apply(
                .putUnit(
                    Unit(
                        id: UnitID(high: 1, low: number), name: "", propertyID: PropertyID(high: 1, low: 1),
                        portfolioID: PortfolioID(high: 1, low: 1), commonAreaAccessIDs: shared,
                        createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0))))
        }
        func address(_ number: UInt64) -> UnsafePointer<DeviceID>? {
            directory.unit(UnitID(high: 1, low: number))?.commonAreaAccessIDs.withUnsafeBufferPointer { $0.baseAddress }
        }
        for number in 0..<3 as Range<UInt64> { put(number, [door]) }
        #expect(address(0) == address(1) && address(1) == address(2))
        put(1, [])
        #expect(directory.unit(UnitID(high: 1, low: 2))?.commonAreaAccessIDs == [door])
        #expect(directory.unit(UnitID(high: 1, low: 1))?.commonAreaAccessIDs == [])
    }
}
