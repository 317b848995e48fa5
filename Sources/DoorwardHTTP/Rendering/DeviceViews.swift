internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

// Locks, their status, and the operations that the subject may do.
extension View {
    func device(_ device: LockDevice, into writer: inout JSONWriter) {
        self.device(device, status: devices.status(of: device.id), into: &writer)
    }

    /// The lock as it is kept, together with what it says of itself, if a status is given.
    func device(_ device: LockDevice, status: DeviceStatus?, into writer: inout JSONWriter) {
        writer.projected(.device, at: level(for: .device(device.id))) { writer in
            writer.field("id", device.id)
            writer.field("name", device.name)
            writer.field("adapter", device.adapter)
            writer.field("address", JSONValue.object(device.address))
            writer.field("manufacturer", device.manufacturer)
            writer.field("model", device.model)
            writer.field("firmwareVersion", device.firmwareVersion)
            writer.field("portfolioId", device.portfolioID)
            writer.field("propertyId", device.propertyID)
            writer.field("propertyName", device.propertyID.flatMap { tenancy.property($0)?.name })
            writer.field("unitId", device.unitID)
            writer.field("unitName", device.unitID.flatMap { tenancy.unit($0)?.name })
            writer.field("isRemoteOperationEnabled", device.isRemoteOperationEnabled)
            if let status { condition(status, into: &writer) }
            writer.field("capabilities", device.capabilities.names)
            writer.field("settings") { writer in
                writer.object { writer in
                    writer.field("autoRelockSeconds", device.settings.autoRelockSeconds)
                    writer.field("hasCode", device.sealedCode != nil)
                }
            }
            writer.field("metadata", JSONValue.object(device.metadata))
            writer.field("createdAt", device.createdAt)
            writer.field("updatedAt", device.updatedAt)
        }
    }

    /// `data.status` of `GET /devices/:id/status`, projected like the device that it is part of.
    func status(_ status: DeviceStatus, of device: DeviceID, into writer: inout JSONWriter) {
        let level = level(for: .device(device))
        writer.object { writer in
            writer.field("deviceId", device)
            writer.projecting(.device, at: level) { condition(status, into: &$0) }
        }
    }

    private func condition(_ status: DeviceStatus, into writer: inout JSONWriter) {
        writer.field("isOnline", status.isOnline)
        writer.field("lastSeen", status.lastSeen)
        writer.field("state", status.state)
        writer.field("stateQuality", status.stateQuality)
        writer.field("stateAt", status.stateAt)
        writer.field("doorState", status.doorState)
        writer.field("batteryLevel", status.batteryLevel)
        writer.field("batteryLow", status.batteryLow)
        writer.field("faults", status.faults)
    }

    /// A decision about oneself at this moment, as `GET /devices/:id/permissions` lists them.
    func decision(_ decision: Decision, _ operation: LockOperation, on device: DeviceID, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("allowed", decision.isAllowed)
            writer.field("operation", operation)
            writer.field("deviceId", device)
            writer.field("at", now)
            writer.field("rule", decision.rule ?? decision.denial?.rule)
            writer.field("reason", decision.denial?.reason)
            writer.field("opensAt", decision.denial?.opensAt)
            writer.field("closesAt", decision.denial?.closesAt)
            writer.field("missing", decision.denial?.missing)
        }
    }
}
