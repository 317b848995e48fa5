internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Locks: attaching, reading, and what one may do with them.
enum DeviceRoutes {
    static let all: [Route] = [
        .get("/devices", list), .post("/devices", attach), .get("/devices/:id", read), .get("/devices/:id/status", status),
        .get("/devices/:id/permissions", permissions), .put("/devices/:id", change),
        .put("/devices/:id/settings", changeSettings),
        .delete("/devices/:id", detach),
    ]

    private static func attach(_ call: Call) async throws -> Answer {
        let new = try call.exchange.readBody { body in
            NewDevice(
                name: body.requiredText("name"), adapter: body.requiredText("adapter"),
                address: body.requiredFreeObject("address"),
                propertyID: body.requiredID("propertyId"), unitID: body.id("unitId"), manufacturer: body.text("manufacturer"),
                model: body.text("model"), isRemoteOperationEnabled: body.bool("isRemoteOperationEnabled") ?? true)
        }
        return try await call.create { repeatable in
            try await call.control.attachedDevices.attach(call.caller, new, repeatable: repeatable)
        } render: { device, view in
            .created("devices/\(device.id)", "device") { view.device(device, into: &$0) }
        }
    }

    private static func read(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let (device, status) = try call.control.attachedDevices.status(of: call.id("id"), for: call.caller, refresh: false)
        let view = call.view
        return .success { $0.field("device") { view.device(device, status: status, into: &$0) } }.tagged(view.tag(of: device))
    }

    private static func change(_ call: Call) async throws -> Answer {
        let changes = try call.exchange.readBody(changes)
        let condition = try call.condition { (view: View, device: LockDevice) in view.tag(of: device) }
        let device = try await call.control.attachedDevices.change(call.caller, call.id("id"), changes, onlyIf: condition)
        let view = call.view
        return .success { $0.field("device") { view.device(device, into: &$0) } }.tagged(view.tag(of: device))
    }

    /// `null` clears what may be empty; what is not named stays as it is.
    private static func changes(_ body: inout BodyReader) -> DeviceChanges {
        body.noteReadOnly("adapter")
        body.noteReadOnly("portfolioId")
        var changes = DeviceChanges()
        if body.names("name") { changes.name = body.requiredText("name") }
        if body.names("address") { changes.address = body.requiredFreeObject("address") }
        if body.names("manufacturer") { changes.manufacturer = .some(body.text("manufacturer")) }
        if body.names("model") { changes.model = .some(body.text("model")) }
        if body.names("isRemoteOperationEnabled") {
            changes.isRemoteOperationEnabled = body.require("isRemoteOperationEnabled", body.bool("isRemoteOperationEnabled"))
        }
        if body.names("metadata") { changes.metadata = body.freeObject("metadata") ?? [:] }
        changes.propertyID = body.reference("propertyId")
        changes.unitID = body.reference("unitId")
        return changes
    }

    /// Stores a code that is sent with later commands. Nothing is sent to the lock, so there is no command.
    private static func changeSettings(_ call: Call) async throws -> Answer {
        let changes = try call.exchange.readBody { body in
            body.noteReadOnly("autoRelockSeconds")
            body.noteReadOnly("hasCode")
            return DeviceSettingsChanges(code: body.names("code") ? .some(body.code("code")) : nil)
        }
        let condition = try call.condition { (view: View, device: LockDevice) in view.tag(of: device) }
        let device = try await call.control.attachedDevices.changeSettings(
            call.caller, call.id("id"), changes, onlyIf: condition)
        let view = call.view
        return .success { $0.field("device") { view.device(device, into: &$0) } }.tagged(view.tag(of: device))
    }

    private static func detach(_ call: Call) async throws -> Answer {
        try call.exchange.readNothing()
        let condition = try call.condition { (view: View, device: LockDevice) in view.tag(of: device) }
        try await call.control.attachedDevices.detach(call.caller, call.id("id"), onlyIf: condition)
        return .nothing
    }

    private static func status(_ call: Call) throws -> Answer {
        let refresh = try call.exchange.readQuery { $0.bool("refresh") ?? false }
        let (device, status) = try call.control.attachedDevices.status(of: call.id("id"), for: call.caller, refresh: refresh)
        let view = call.view
        return .success { $0.field("status") { view.status(status, of: device.id, into: &$0) } }
    }

    /// A decision about oneself for each operation, now. Asking is free and writes nothing down.
    private static func permissions(_ call: Call) throws -> Answer {
        try call.exchange.readNothing()
        let device = try call.control.attachedDevices.device(call.id("id"), for: call.caller)
        let view = call.view
        return .success { writer in
            writer.field("permissions") { writer in
                writer.array(LockOperation.allCases) { writer, operation in
                    let decision = SecurityService.decide(
                        view.subject, operation, on: device.id, at: view.now, override: false, in: view.tenancy)
                    view.decision(decision, operation, on: device.id, into: &writer)
                }
            }
        }
    }

    // MARK: - List

    private static func list(_ call: Call) throws -> Answer {
        let (page, filter) = try call.exchange.readQuery { query in
            (PageRequest<NameOrAge>(&query), DeviceFilter(&query))
        }
        let view = call.view
        let devices = SecurityService.visibleDeviceIDs(for: view.subject, at: view.now, in: view.tenancy)
            .compactMap(view.tenancy.device).filter { filter.passes($0, view) }
        return try .list("devices", sorted(devices, page), page) { view.device($1, into: &$0) }
    }

    static func sorted(_ devices: [LockDevice], _ page: PageRequest<NameOrAge>) -> [LockDevice] {
        page.sorted(devices) { key, device in
            key == .name ? .name(device.name) : .number(device.createdAt.milliseconds)
        }
    }
}

/// The filters of `GET /devices`. A device passes only by fields that the caller sees, so that no filter tells more than
/// the list does.
struct DeviceFilter: Sendable {
    private let property: PropertyID??
    private let unit: UnitID??
    private let state: LockState?
    private let isOnline: Bool?
    private let batteryBelow: Int?
    private let adapter: String?

    init(_ query: inout QueryReader) {
        property = query.id("propertyId")
        unit = query.id("unitId")
        state = query.word("state", of: LockState.allCases)
        isOnline = query.bool("isOnline")
        batteryBelow = query.integer("batteryBelow", in: 0...101)
        adapter = query.text("adapter")
    }

    func passes(_ device: LockDevice, _ view: View) -> Bool {
        func sees(_ field: String) -> Bool { view.sees(field, of: .device, .device(device.id)) }
        if case .some(let property) = property, device.propertyID != property || !sees("propertyId") { return false }
        if case .some(let unit) = unit, device.unitID != unit || unit == nil || !sees("unitId") { return false }
        if case .some(.none) = property { return false }
        if let adapter, device.adapter != adapter || !sees("adapter") { return false }
        let status = view.devices.status(of: device.id)
        if let state, status.state != state || !sees("state") { return false }
        if let isOnline, status.isOnline != isOnline || !sees("isOnline") { return false }
        guard let batteryBelow else { return true }
        return status.batteryLevel.map { $0 < batteryBelow } == true && sees("batteryLevel")
    }
}
