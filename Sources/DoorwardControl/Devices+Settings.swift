internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The changes of a lock's settings.
package struct DeviceSettingsChanges: Sendable {
    /// The code sent with commands; `.cleared` deletes the stored code.
    package var code: Patch<Secret<String>>

    package init(code: Patch<Secret<String>>) { self.code = code }
}

extension Devices {
    /// Stores the code that is sent with every command for a lock, or deletes it. Nothing is sent to the lock.
    ///
    /// - Throws: `.denied` if the caller may not change the settings, or if the lock accepts no
    ///   code; `.preconditionFailed` if `condition` is not met.
    package func changeSettings(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Condition<LockDevice>? = nil
    ) async throws(GatewayError) -> LockDevice {
        try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: id, at: clock.decisionTime())
            },
            body: { (draft) throws(GatewayError) in
                try draft.changeSettings(id, changes, onlyIf: condition) { (code, device) throws(GatewayError) in
                    try codes.seal(code, for: device, random)
                }
            },
            afterwards: { device, before in
                if before.device(device.id)?.sealedCode != device.sealedCode { attachments.giveCode(to: device) }
            }
        )
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func changeSettings(
        _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Condition<LockDevice>?,
        seal: (Secret<String>, DeviceID) throws(GatewayError) -> [UInt8]
    ) throws(GatewayError) -> LockDevice {
        guard let device = directory.device(id) else { throw .outOfReach(of: subject) }
        let decision = SecurityService.decide(
            subject, .changeSettings, on: id, at: time, override: false, in: directory)
        if let denial = decision.denial { throw .denied(denial, operation: .changeSettings, deviceID: id) }
        guard !changes.code.isUnchanged else { return device }
        let code = changes.code.newValue
        if code != nil, !device.capabilities.contains(.acceptsCode) {
            let missing = Denial.Missing(capability: LockCapabilities.acceptsCode.names.first)
            throw .denied(
                Denial(.capabilityMissing, hasReach: true, rule: decision.rule, missing: missing), operation: .changeSettings,
                deviceID: id)
        }
        try require(condition, of: device)
        guard code != nil || device.sealedCode != nil else { return device }
        var changed = device
        changed.sealedCode = try code.map { (code) throws(GatewayError) in try seal(code, id) }
        changed.updatedAt = now
        apply(.putDevice(changed))
        noteUpdate(from: device, to: changed, staysInPortfolio: true)
        return changed
    }
}
