public import DoorwardDomain

/// What speaks to locks of one make or transport. The gateway knows nothing of a lock but what its adapter says.
///
/// An adapter decides nothing and keeps nothing for later: it hands bytes over now, or throws. It is shared by all who
/// use it and is called from any thread.
public protocol LockAdapter: Sendable {
    /// The name that devices carry in `adapter`: lower-case letters, `simulator`.
    var kind: String { get }

    /// The keys that an `address` for this adapter may hold, in the order in which a form shows them. Always the same keys; the
    /// words that one may be change only where an operator changes the adapter's own files.
    var addressFields: [AddressField] { get }

    /// The ways to its locks that it was configured with, by name, over all tenants: MQTT brokers, say. Waits for nothing.
    var transports: [AdapterTransport] { get }

    /// Whether the adapter can do its work at this moment. Waits for nothing.
    var health: AdapterHealth { get }

    /// What the adapter has counted since it was made, for `/metrics`: numbers that never fall, each under a word in snake case
    /// that names no tenant, lock, broker or topic. Always the same words. Waits for nothing.
    var counts: [String: Int] { get }

    /// Checks an address before a device is attached with it. Moves nothing, waits for nothing.
    ///
    /// - Parameter scope: what whoever asks may know of. A way to locks outside it, such as another tenant's broker, is answered
    ///   exactly as one that does not exist, whatever else the address says.
    /// - Returns: what a lock at this address can do, and which is attached there already.
    /// - Throws: every mistake, each with the field it is in (`address.latencyMs`).
    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress

    /// Whose the way to the lock at an address is; `nil` where there is no such way now. Quick, for it is asked of every lock
    /// at the start; the rest of the address makes no difference.
    func owner(of address: [String: JSONValue]) -> TransportOwner?

    /// The locks that the adapter has found by itself and that are not attached, in an order that stays; over all tenants.
    /// Waits for nothing.
    var discovered: [DiscoveredLock] { get }

    /// Begins to listen; what locks report from now on goes to `reports`. Moves nothing.
    func start(reports: any ReportReceiver) async throws

    /// Ends every connection. Nothing is sent afterwards.
    func stop() async

    /// Makes a lock known: from now on its reports are delivered and `send` accepts orders for it. Moves nothing.
    ///
    /// Attaching an id again replaces its address.
    func attach(_ lock: AttachedLock)

    /// Forgets a lock. Its reports are dropped, an order for it throws `.notAttached`.
    func detach(_ id: DeviceID)

    /// Sets the code that is sent with a lock's commands, also before `attach`; `nil` for none. Sends nothing. The adapter keeps
    /// the code until `detach`, and never reports or logs it.
    func setCode(_ code: Secret<String>?, for id: DeviceID)

    /// Hands the bytes of one order to the transport, now, or throws; returns without waiting for the lock.
    ///
    /// MUST NOT suspend, block on the network or keep the order for a later attempt: it is called inside the device's
    /// dispatch gate, right after the decision. When it throws, no byte of the order has left and none will.
    /// A report that answers the order may be delivered before this returns. Reports bear the order in `after` from the moment
    /// at which it leaves, and never before: what the lock said earlier, and what is on its way to the receiver, does not.
    /// `LockChannel` does that, for one command at a time.
    func send(_ order: LockCommand) throws(AdapterError)

    /// Queries the lock for its state, if it supports queries; the answer comes as a report. Where the transport is busy the query
    /// may be sent later. Can move nothing.
    func refresh(_ id: DeviceID) throws(AdapterError)

    /// Explains a command that `send` refused, that was refused later, or that timed out. Asked once, when the command ends.
    ///
    /// - Returns: `nil` where the adapter knows of nothing wrong between the gateway and the lock.
    func problem(of command: CommandID, for id: DeviceID) -> TransportProblem?
}

extension LockAdapter {
    /// Locks of this kind are reached by no way that could be somebody's.
    public func owner(of address: [String: JSONValue]) -> TransportOwner? { .shared }

    /// It reaches its locks by itself.
    public var transports: [AdapterTransport] { [] }

    /// There is nothing to count.
    public var counts: [String: Int] { [:] }

    /// Locks of this kind do not make themselves known.
    public var discovered: [DiscoveredLock] { [] }

    /// Its locks take no codes.
    public func setCode(_ code: Secret<String>?, for id: DeviceID) {}

    /// The adapter knows no more than the outcome.
    public func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? { nil }

    /// As for one from whom nothing is hidden.
    public func check(address: [String: JSONValue]) throws(AddressErrors) -> CheckedAddress {
        try check(address: address, within: .everything)
    }
}

/// A lock as its adapter needs to know it.
public struct AttachedLock: Hashable, Sendable {
    /// What its reports and its orders are named by.
    public let id: DeviceID
    /// The device's `address`, which `check` has let pass; its meaning is the adapter's own.
    public let address: [String: JSONValue]

    public init(id: DeviceID, address: [String: JSONValue]) { (self.id, self.address) = (id, address) }
}

/// One order to move one lock once.
public struct LockCommand: Hashable, Sendable {
    /// The command that the order belongs to; no two orders have the same.
    public let commandID: CommandID
    /// The lock to move, which must be attached.
    public let deviceID: DeviceID
    /// One of `LockOperation.movements`.
    public let operation: LockOperation
    /// After this instant the order means nothing any more; for transports that can say so in the frame.
    public let deadline: Timestamp

    public init(commandID: CommandID, deviceID: DeviceID, operation: LockOperation, deadline: Timestamp) {
        (self.commandID, self.deviceID, self.operation, self.deadline) = (commandID, deviceID, operation, deadline)
    }
}
