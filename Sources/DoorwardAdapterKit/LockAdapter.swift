public import DoorwardDomain

/// Connects the gateway to locks of one manufacturer or transport. All information that the gateway
/// has about a lock comes from the reports of its adapter.
///
/// An adapter makes no access decisions and queues no commands: it hands the bytes over at once, or throws. One instance is shared
/// by all callers and is called from any thread.
public protocol LockAdapter: Sendable {
    /// The adapter's name in the `adapter` field of a device, in lower-case letters, such as `simulator`.
    var kind: String { get }

    /// The keys that an `address` for this adapter may have, in the order in which a form shows them. The keys never change; the
    /// allowed values of a key may change only when an operator changes the adapter's own files.
    var addressFields: [AddressField] { get }

    /// The transports that the adapter was configured with, such as MQTT brokers, of all tenants, sorted by name. Does not block.
    var transports: [AdapterTransport] { get }

    /// Whether the adapter can work at the moment. Does not block.
    var health: AdapterHealth { get }

    /// Counters for `/metrics`, by name. A counter starts when the adapter is created, and never decreases. The names are in
    /// snake case, never change, and identify no tenant, lock, broker or topic. Does not block.
    var counts: [String: Int] { get }

    /// Checks an address before a device is attached with it. Moves no lock and does not block.
    ///
    /// - Parameter scope: the transports that the caller may know of. For a transport outside the scope, such as another tenant's
    ///   broker, the result is exactly the same as for a transport that does not exist, whatever else the address contains.
    /// - Returns: the capabilities of a lock at this address, and the lock that is already attached there.
    /// - Throws: all errors, each with its field (`address.latencyMs`).
    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress

    /// Returns the owner of the transport of an address; `nil` if there is no such transport at the moment. Ignores the rest of
    /// the address. Must be fast, because it is called for every lock when the gateway starts.
    func owner(of address: [String: JSONValue]) -> TransportOwner?

    /// The discovered locks that are not attached, in a stable order, of all tenants. Does not block.
    var discovered: [DiscoveredLock] { get }

    /// Starts the adapter: from now on, it delivers the locks' reports to `reports`. Moves no lock.
    func start(reports: any ReportReceiver) async throws

    /// Closes all connections. Nothing is sent afterwards.
    func stop() async

    /// Attaches a lock: from now on, its reports are delivered, and `send` accepts commands for it. Moves no lock.
    ///
    /// If the id is already attached, its address is replaced.
    func attach(_ lock: AttachedLock)

    /// Detaches a lock. From now on, its reports are dropped, and `send` throws `.notAttached` for its commands.
    func detach(_ id: DeviceID)

    /// Sets the code that is sent with the commands of a lock; `nil` removes it. May be called before `attach`. Sends nothing. The
    /// adapter keeps the code until `detach`, and never reports or logs it.
    func setCode(_ code: Secret<String>?, for id: DeviceID)

    /// Hands the bytes of one command to the transport at once, or throws. Returns without waiting for the lock.
    ///
    /// MUST NOT suspend, block on the network or keep the command for a later attempt: `send` is called inside the device's
    /// dispatch gate, immediately after the access decision. If `send` throws, no byte of the command has been sent, and none
    /// will be. A report that responds to the command may be delivered before `send` returns. Every report that the adapter
    /// receives after it has sent the command has the command in `after`. An earlier report does not, even if it is delivered
    /// later. `LockChannel` implements these rules for one command at a time.
    func send(_ command: LockCommand) throws(AdapterError)

    /// Queries the state of a lock, if the lock supports queries; the response is delivered as a report. The query may be sent
    /// later if the transport is busy. Must not move the lock.
    func refresh(_ id: DeviceID) throws(AdapterError)

    /// Returns the transport problem because of which a command failed: `send` threw an error, the
    /// command was refused later, or it timed out. Called once, when the command ends.
    ///
    /// - Returns: `nil` if no problem between the gateway and the lock is known.
    func problem(of command: CommandID, for id: DeviceID) -> TransportProblem?
}

extension LockAdapter {
    /// The default: the adapter has no transports that could belong to a tenant.
    public func owner(of address: [String: JSONValue]) -> TransportOwner? { .shared }

    /// The default: the adapter has no configured transports.
    public var transports: [AdapterTransport] { [] }

    /// The default: there are no counters.
    public var counts: [String: Int] { [:] }

    /// The default: the adapter discovers no locks.
    public var discovered: [DiscoveredLock] { [] }

    /// The default: the locks need no codes.
    public func setCode(_ code: Secret<String>?, for id: DeviceID) {}

    /// The default: no problem is known.
    public func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? { nil }

    /// Checks an address with access to all transports.
    public func check(address: [String: JSONValue]) throws(AddressErrors) -> CheckedAddress {
        try check(address: address, within: .everything)
    }
}

/// An attached lock, with the data that its adapter needs.
public struct AttachedLock: Hashable, Sendable {
    /// The device's id, used in its reports and commands.
    public let id: DeviceID
    /// The device's `address`, which `check` accepted when the device was attached. Only the adapter interprets it.
    public let address: [String: JSONValue]
    /// The settings that the lock has confirmed at this address; empty if it has confirmed none. A real lock keeps them itself.
    public let settings: LockSettings

    public init(id: DeviceID, address: [String: JSONValue], settings: LockSettings = LockSettings()) {
        (self.id, self.address, self.settings) = (id, address, settings)
    }
}

/// One command to one lock: to move once, or to change its settings.
public struct LockCommand: Hashable, Sendable {
    /// The unique id of the command.
    public let commandID: CommandID
    /// The lock, which must be attached.
    public let deviceID: DeviceID
    /// The movement to make, one of `LockOperation.movements`, or `.changeSettings`. An adapter throws `.unsupported` for all
    /// others, and for `.changeSettings` unless the lock has the capability `.settings`.
    public let operation: LockOperation
    /// The new settings; present for `.changeSettings` only. The lock confirms them with the report `.settings` of equal settings.
    public let settings: LockSettings?
    /// The instant after which the command must not be executed; for transports that can send an expiry time with the command.
    public let deadline: Timestamp

    public init(
        commandID: CommandID, deviceID: DeviceID, operation: LockOperation, settings: LockSettings? = nil, deadline: Timestamp
    ) {
        (self.commandID, self.deviceID, self.operation) = (commandID, deviceID, operation)
        (self.settings, self.deadline) = (settings, deadline)
    }
}

extension LockCommand {
    /// Returns the time until the deadline, at most `LockChannel.maxLifetime`.
    ///
    /// - Throws: `.transportBusy` if the deadline has passed.
    package func lifetime(at now: Timestamp) throws(AdapterError) -> Duration {
        guard deadline > now else { throw .transportBusy }
        return min(deadline, now.advanced(by: LockChannel.maxLifetime)).duration(since: now)
    }
}

/// The reason why an adapter did not hand a command over. Each case states the caller's next step.
/// If `send` throws an error, nothing was sent.
public enum AdapterError: Error, Hashable, Sendable {
    /// The lock or its broker is known to be offline: try again when it is online.
    case offline
    /// The transport cannot accept more at the moment: try again shortly.
    case transportBusy
    /// The lock does not support this command: never try again.
    case unsupported
    /// The lock is not attached: attach it first.
    case notAttached
    /// The lock executes commands only with a code, and no code is set: set the code first.
    case codeRequired
}

/// Describes an adapter for the command line's help and completions, which must work without a running gateway.
public struct AdapterGuide: Hashable, Sendable {
    /// The adapter's name in the `adapter` field of a device, the same as `LockAdapter.kind`.
    public let kind: String
    /// The help text for attaching a lock of this kind: a description of the kind, then the keys of
    /// an address. The text consists of complete sentences; the first begins in lower case.
    public let attaching: String
    /// Examples of `doorward attach`, as typed in a terminal; continuation lines begin with two spaces.
    public let examples: [String]

    public init(kind: String, attaching: String, examples: [String] = []) {
        (self.kind, self.attaching, self.examples) = (kind, attaching, examples)
    }
}

/// The health of an adapter as a whole, not of single locks. The raw values are those of the API.
public enum AdapterHealth: String, CaseIterable, Sendable {
    /// The adapter is started, and all required connections are established.
    case ok
    /// The adapter is started, but cannot reach some locks because of a problem of the adapter or
    /// its transports, for example a broker that is offline.
    case degraded
    /// The adapter can reach no lock: it is not started, is stopped, or has no connection.
    case down
}
