package import DoorwardDomain
internal import DoorwardPolicy

extension Devices {
    /// Moves a device to a unit, from its property, another unit or, for a super admin, from no place. Guest accesses that list
    /// the device end for it. A device of the unit is not changed.
    ///
    /// - Throws: `.denied` without the right at both ends; `.invalid` if the device's transport belongs to another portfolio.
    package func move(
        _ caller: Caller, _ id: DeviceID, to unitID: UnitID
    ) async throws(GatewayError) -> LockDevice {
        try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: .unit(unitID))
                try tenancy.requireReach(of: subject, to: id, at: clock.decisionTime())
            },
            body: { (draft) throws(GatewayError) in
                guard let unit = draft.directory.unit(unitID) else { throw GatewayError.outOfReach(of: draft.subject) }
                return try draft.moveToUnit(id, unit, field: "deviceId", owner: owner)
            })
    }

    /// Moves a device from a unit to the unit's property. Guest accesses that list the device end for it.
    ///
    /// - Throws: `.notFound` for a device that is not assigned to the unit.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func remove(
        _ caller: Caller, _ id: DeviceID, from unitID: UnitID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: { (tenancy, subject) throws(GatewayError) in try tenancy.requireReach(of: subject, to: .unit(unitID)) },
            body: { (draft) throws(GatewayError) in
                try draft.require(.deviceMove, on: .unit(unitID))
                guard draft.directory.deviceIDs(of: unitID).contains(id) else { throw GatewayError.notFound }
                draft.leaveUnit(id)
            })
    }
}
