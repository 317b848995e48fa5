internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The changes of a lock's settings.
package struct DeviceSettingsChanges: Sendable {
    /// The code sent with commands; `.cleared` deletes the stored code.
    package var code: Patch<Secret<String>>
    /// Seconds until the lock locks itself, 0 for never; `nil` leaves the setting unchanged.
    package var autoRelockSeconds: Int?

    package init(code: Patch<Secret<String>> = .unchanged, autoRelockSeconds: Int? = nil) {
        (self.code, self.autoRelockSeconds) = (code, autoRelockSeconds)
    }
}

extension Devices {
    /// Changes the settings in the lock by a command, then stores the code that is sent with every command, or deletes it. The code
    /// stays as it is if the lock does not confirm the settings.
    ///
    /// - Parameter timeout: the command's timeout.
    /// - Returns: the device, and the ended command. There is no command if only the code changes, or if the lock has confirmed the
    ///   same settings since the start of the gateway and no command since may have changed them.
    /// - Throws: `.denied` if the caller may not change the settings, or if the lock has no such settings or accepts no code;
    ///   `.preconditionFailed` if `condition` is not met or another change of the settings is in progress, which ends the version
    ///   that the condition names; the errors of `LockDAL.execute`.
    package func changeSettings(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceSettingsChanges, timeout: Duration = .seconds(10),
        onlyIf condition: Condition<LockDevice>? = nil
    ) async throws(GatewayError) -> (device: LockDevice, command: FinishedCommand?) {
        guard let seconds = changes.autoRelockSeconds else {
            return (try await changeCode(caller, id, changes, onlyIf: condition), nil)
        }
        let request = CommandRequest(
            caller: caller, deviceID: id, attemptedID: id.description, operation: .changeSettings,
            settings: LockSettings(autoRelockSeconds: seconds), timeout: timeout)
        try await locks.requireAllowed(request)
        let live = attachments.devices.existing(id)
        guard live?.beginSettingsChange(alone: condition != nil) ?? true else { throw .preconditionFailed }
        defer { live?.endSettingsChange() }
        let device = try requireChangeable(request, changes, onlyIf: condition)
        var command: FinishedCommand?
        if device.settings != request.settings || live?.areSettingsConfirmed != true {
            command = try await locks.execute(request).value
        }
        guard command.map({ $0.command.state == .confirmed }) ?? true, !changes.code.isUnchanged else {
            return (directory.current.device(id) ?? device, command)
        }
        // The precondition was met before the command, which has changed the device.
        return (try await changeCode(caller, id, changes, onlyIf: command == nil ? condition : nil), command)
    }

    /// - Returns: the device, if it can have the settings and the code, and is the one that `condition` names.
    private func requireChangeable(
        _ request: CommandRequest, _ changes: DeviceSettingsChanges, onlyIf condition: Condition<LockDevice>?
    ) throws(GatewayError) -> LockDevice {
        let tenancy = directory.current
        guard let device = tenancy.device(request.deviceID) else { throw .outOfReach }
        let rule = SecurityService.decide(
            request.caller.principal, request.operation, on: device.id, at: clock.decisionTime(), override: false, in: tenancy
        ).rule
        try device.require(.settings, rule)
        if changes.code.newValue != nil { try device.require(.acceptsCode, rule) }
        guard condition?(device, tenancy) ?? true else { throw .preconditionFailed }
        return device
    }

    private func changeCode(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Condition<LockDevice>?
    ) async throws(GatewayError) -> LockDevice {
        try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: id, at: clock.decisionTime())
            },
            body: { (draft) throws(GatewayError) in
                try draft.changeCode(id, changes, onlyIf: condition) { (code, device) throws(GatewayError) in
                    try codes.seal(code, for: device, random)
                }
            },
            afterwards: { device, before in
                if before.device(device.id)?.sealedCode != device.sealedCode { attachments.giveCode(to: device) }
            }
        )
    }
}

extension LockDevice {
    /// - Throws: `.denied` without the capability.
    fileprivate func require(_ capability: LockCapabilities, _ rule: Rule?) throws(GatewayError) {
        guard !capabilities.contains(capability) else { return }
        throw .denied(
            Denial(.capabilityMissing, hasReach: true, rule: rule, missing: Denial.Missing(capability: capability.names.first)),
            operation: .changeSettings, deviceID: id)
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func changeCode(
        _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Condition<LockDevice>?,
        seal: (Secret<String>, DeviceID) throws(GatewayError) -> [UInt8]
    ) throws(GatewayError) -> LockDevice {
        guard let device = directory.device(id) else { throw .outOfReach(of: subject) }
        let decision = SecurityService.decide(
            subject, .changeSettings, on: id, at: time, override: false, in: directory)
        if let denial = decision.denial { throw .denied(denial, operation: .changeSettings, deviceID: id) }
        guard !changes.code.isUnchanged else { return device }
        let code = changes.code.newValue
        if code != nil { try device.require(.acceptsCode, decision.rule) }
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
