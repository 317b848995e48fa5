internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Locks: attaching, reading, changing, detaching, and the caller's permissions on them.
enum DeviceRoutes {
    static let all: [Route] = [
        .get("/devices", "Lists locks.", .page("devices", "Device"), list),
        .post("/devices", "Attaches a lock.", .created("device", "Device"), isRepeatable: true, attach),
        .read("/devices/:id", "Reads a lock.", .tagged("device", "Device"), read),
        .get("/devices/:id/status", "Reads what the lock reports.", .object("status", "DeviceStatus")) { request in
            let refresh = try request.readQuery { $0.bool("refresh") ?? false }
            let (device, status) = try request.control.attachedDevices.status(
                of: request.id("id"), for: request.caller, refresh: refresh)
            return .success { $0.field("status") { request.view.status(status, of: device, into: &$0) } }
        },
        .put("/devices/:id", "Changes a lock, or moves it.", .tagged("device", "Device"), change),
        .put(
            "/devices/:id/settings",
            "Changes the settings of a lock: `autoRelockSeconds` by a command to the lock, `code` in the gateway.",
            .tagged(.fields(["device": .reference("Device")], optional: ["command": .reference("Command")])), sendsCommand: true,
            changeSettings),
        .removal("/devices/:id", "Detaches a lock.", isConditional: true) { request, isDryRun in
            try await request.control.attachedDevices.detach(
                request.caller, request.id("id"), isDryRun: isDryRun, onlyIf: try request.condition { $0.tag(of: $1) })
        },
        .get("/units/:id/devices", "Lists the locks of a unit.", .page("devices", "Device")) { request in
            let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
            return try answer(request.control.attachedDevices.list(of: request.id("id"), for: request.caller, page), request)
        },
        .post("/units/:id/devices", "Moves a lock to a unit.", .tagged("device", "Device")) { request in
            let id: DeviceID = try request.readBody { $0.requiredID("deviceId") }
            return answer(try await request.control.attachedDevices.move(request.caller, id, to: request.id("id")), request)
        },
        .removal("/units/:id/devices/:deviceId", "Removes a lock from a unit.") {
            try await $0.control.attachedDevices.remove($0.caller, $0.id("deviceId"), from: $0.id("id"), isDryRun: $1)
        },
    ]

    private static func attach(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let kinds = request.services.adapterKinds
        let new = try request.readBody { body in
            NewDevice(
                name: body.requiredText("name"), adapter: body.require("adapter", body.enumValue("adapter", of: kinds)) ?? "",
                address: body.requiredFreeObject("address"),
                propertyID: body.requiredID("propertyId"), unitID: body.id("unitId"),
                texts: DeviceText.allCases.reduce(into: [:]) { $0[$1] = body.text($1.rawValue, maxCharacters: $1.maxCharacters) },
                isRemoteOperationEnabled: body.bool("isRemoteOperationEnabled") ?? true)
        }
        return try await request.create { repeatable in
            try await request.control.attachedDevices.attach(request.caller, new, repeatable: repeatable)
        } render: { device, view in
            .created("devices/\(device.id)", "device") { view.device(device, into: &$0) }
        }
    }

    private static func read(_ request: AuthenticatedRequest) throws -> APIResponse {
        let (device, status) = try request.control.attachedDevices.status(
            of: request.id("id"), for: request.caller, refresh: false)
        let view = request.view
        return .success { $0.field("device") { view.device(device, status: status, into: &$0) } }.tagged(view.tag(of: device))
    }

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody(changes)
        let device = try await request.control.attachedDevices.change(
            request.caller, request.id("id"), changes, onlyIf: try request.condition { $0.tag(of: $1) })
        return answer(device, request)
    }

    /// Reads changes: `null` clears an optional field; a field whose key is absent stays as it is.
    private static func changes(_ body: inout BodyReader) -> DeviceChanges {
        body.rejectReadOnly("adapter")
        body.rejectReadOnly("portfolioId")
        var changes = DeviceChanges()
        changes.name = body.change("name") { $0.text($1) }
        changes.address = body.change("address") { $0.freeObject($1) }
        for text in DeviceText.allCases {
            changes.texts[text] = body.patch(text.rawValue) { $0.text($1, maxCharacters: text.maxCharacters) }
        }
        changes.isRemoteOperationEnabled = body.change("isRemoteOperationEnabled") { $0.bool($1) }
        if body.names("metadata") { changes.metadata = body.freeObject("metadata") ?? [:] }
        changes.propertyID = body.patch("propertyId") { $0.id($1) }
        changes.unitID = body.patch("unitId") { $0.id($1) }
        return changes
    }

    /// Sends the settings that the lock keeps, and waits until it confirms them; then stores the code that is sent with later
    /// commands.
    private static func changeSettings(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody { body in
            body.rejectReadOnly("hasCode")
            var changes = DeviceSettingsChanges(code: body.patch("code") { $0.code($1) })
            changes.autoRelockSeconds = body.change("autoRelockSeconds") { $0.integer($1, in: WireLimits.autoRelockSeconds) }
            return changes
        }
        let (device, command) = try await request.control.attachedDevices.changeSettings(
            request.caller, request.id("id"), changes, timeout: request.services.settings.commandTimeout,
            onlyIf: try request.condition { $0.tag(of: $1) })
        let view = request.view
        if let command, command.command.state != .confirmed { return LockCommandRoutes.answer(command, view, request.metadata) }
        let answer = APIResponse.success { writer in
            writer.field("device") { view.device(device, into: &$0) }
            if let command { writer.field("command") { view.command(command.command, into: &$0) } }
        }
        return answer.tagged(view.tag(of: device))
    }

    private static func list(_ request: AuthenticatedRequest) throws -> APIResponse {
        let kinds = request.services.adapterKinds
        let (page, filter) = try request.readQuery { query in
            (PageRequest<NameOrCreatedAt>(&query), DeviceFilter(&query, adapters: kinds))
        }
        return try answer(request.control.attachedDevices.list(for: request.caller, filter, page), request)
    }

    private static func answer(_ device: LockDevice, _ request: AuthenticatedRequest) -> APIResponse {
        let view = request.view
        return .success { $0.field("device") { view.device(device, into: &$0) } }.tagged(view.tag(of: device))
    }

    /// A list of locks is most of what the console loads first, so it is compressed.
    private static func answer(_ devices: Page<LockDevice>, _ request: AuthenticatedRequest) throws(GatewayError) -> APIResponse {
        try request.page("devices", devices) { $0.device($1, into: &$2) }.compressed(for: request.metadata.headers)
    }
}

extension DeviceFilter {
    /// - Parameter adapters: the values of a device's `adapter`.
    init(_ query: inout QueryReader, adapters: [String]) {
        self.init()
        property = query.id("propertyId")
        unit = query.id("unitId")
        state = query.enumValue("state", of: LockState.allCases)
        isOnline = query.bool("isOnline")
        batteryBelow = query.integer("batteryBelow", in: 0...101)
        adapter = query.enumValue("adapter", of: adapters)
    }
}
