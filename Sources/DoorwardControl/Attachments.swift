internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Attaches locks to the adapters and detaches them, according to changes of the tenancy that have taken effect.
struct Attachments: Sendable {
    let devices: DeviceRuntimes
    let adapters: AdapterRegistry
    let codes: LockCodeSealer

    /// Why a device's lock could not be attached, for the operator's log.
    enum AttachFailure: String {
        case noAdapter = "this gateway has no such adapter"
        /// The lock is attached once the adapter has started.
        case notStarted = "its adapter has not started"
        /// This occurs if the configuration was changed after the lock was attached.
        case foreign = "its broker belongs to a portfolio other than the lock's"
    }

    /// Attaches a lock to its adapter.
    ///
    /// - Parameter isRebinding: whether the address changed, so that the device is bound to another lock.
    /// - Returns: `nil` if the lock was attached.
    @discardableResult
    func attach(_ device: LockDevice, isRebinding: Bool = false) -> AttachFailure? {
        // Create the runtime before attaching, so that the lock's first report finds the runtime.
        let live = devices.device(device.id)
        guard let adapter = adapters[device.adapter] else { return .noAdapter }
        if isRebinding {
            adapter.detach(device.id)
            live.rebind()
        }
        guard adapters.isStarted(adapter.kind) else {
            live.update { $0.isOnline = false }
            return .notStarted
        }
        // The device was marked as offline only because the adapter had not started; now it is unknown whether it is online.
        live.update { if $0.lastSeen == nil, $0.isOnline == false { $0.isOnline = nil } }
        guard adapter.owner(of: device.address)?.allows(placementIn: device.portfolioID) ?? true else { return .foreign }
        giveCode(to: device)
        adapter.attach(AttachedLock(id: device.id, address: device.address, settings: device.settings))
        return nil
    }

    /// Passes a lock's stored code to its adapter; passes `nil` if there is none or it cannot be decrypted.
    func giveCode(to device: LockDevice) {
        adapters[device.adapter]?.setCode(device.sealedCode.flatMap { codes.open($0, of: device.id) }, for: device.id)
    }

    /// Detaches a lock that the tenancy no longer contains, unless one of its commands is still queued or in flight. In that
    /// case, the last command in the queue calls this function again when it ends.
    func detachIfIdle(of id: DeviceID) {
        guard devices.forget(id) else { return }
        for adapter in adapters.all { adapter.detach(id) }
    }
}
