internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Which locks the adapters listen to: what follows for them from a change to the tenancy that is in force.
struct Attachments: Sendable {
    let devices: LiveDevices
    let adapters: AdapterRegistry
    let codes: LockCodeSealer

    /// Why a device's lock is not listened to, for the operator's log.
    enum Obstacle: String {
        case noAdapter = "this gateway has no such adapter"
        /// It is attached when the adapter has started.
        case notStarted = "its adapter has not started"
        /// The configuration was changed since it was attached.
        case foreign = "its broker belongs to another portfolio than the one it hangs in"
    }

    /// Listens to a lock from now on.
    ///
    /// - Parameter isAnew: the lock has another address than before, so it is another lock.
    /// - Returns: `nil` when it is listened to.
    @discardableResult
    func attach(_ device: LockDevice, isAnew: Bool = false) -> Obstacle? {
        // Known before it is attached, so that its first report finds it.
        let live = devices.device(device.id)
        guard let adapter = adapters[device.adapter] else { return .noAdapter }
        if isAnew {
            adapter.detach(device.id)
            live.becomeAnotherLock()
        }
        guard adapters.isStarted(adapter.kind) else {
            live.update { $0.isOnline = false }
            return .notStarted
        }
        // The lock was only offline because its adapter had not started; that state is no longer valid.
        live.update { if $0.lastSeen == nil, $0.isOnline == false { $0.isOnline = nil } }
        guard adapter.owner(of: device.address)?.allows(hangingIn: device.portfolioID) ?? true else { return .foreign }
        giveCode(to: device)
        adapter.attach(AttachedLock(id: device.id, address: device.address))
        return nil
    }

    /// Passes a lock's stored code to its adapter. A code that cannot be decrypted is passed as none.
    func giveCode(to device: LockDevice) {
        adapters[device.adapter]?.setCode(device.sealedCode.flatMap { codes.open($0, of: device.id) }, for: device.id)
    }

    /// Lets go of a lock that the tenancy has no longer, unless a command of it is still on its way: whoever is the last to
    /// leave its lane asks again.
    func letGo(of id: DeviceID) {
        guard devices.forget(id) else { return }
        for adapter in adapters.all { adapter.detach(id) }
    }
}
