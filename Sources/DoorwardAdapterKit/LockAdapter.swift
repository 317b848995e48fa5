package import DoorwardDomain

/// What speaks to locks of one make or transport. The gateway knows nothing of a lock but what its adapter says.
///
/// An adapter decides nothing and keeps nothing for later: it hands bytes over now, or throws. It is shared by all who
/// use it and is called from any thread.
package protocol LockAdapter: Sendable {
    /// The name that devices carry in `adapter`: lower-case letters, `simulator`.
    var kind: String { get }

    /// The keys that an `address` for this adapter may hold, in the order in which a form shows them. Always the same.
    var addressFields: [AddressField] { get }

    /// Whether the adapter can do its work at this moment. Waits for nothing.
    var health: AdapterHealth { get }

    /// Checks an address before a device is attached with it. Moves nothing, waits for nothing.
    ///
    /// - Returns: what a lock at this address can do.
    /// - Throws: every mistake, each with the field it is in (`address.latencyMs`).
    func check(address: [String: JSONValue]) throws(AddressMistakes) -> LockCapabilities

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

    /// Hands the bytes of one order to the transport, now, or throws; returns without waiting for the lock.
    ///
    /// MUST NOT suspend, block on the network or keep the order for a later attempt: it is called inside the device's
    /// dispatch gate, right after the decision. When it throws, no byte of the order has left and none will.
    /// A report that answers the order may be delivered before this returns.
    func send(_ order: LockOrder) throws(AdapterError)

    /// Asks the lock for its state, if it can be asked; the answer comes as a report. Can move nothing.
    func refresh(_ id: DeviceID) throws(AdapterError)
}

/// A lock as its adapter needs to know it.
package struct AttachedLock: Hashable, Sendable {
    /// What its reports and its orders are named by.
    package let id: DeviceID
    /// The device's `address`, which `check` has let pass; its meaning is the adapter's own.
    package let address: [String: JSONValue]

    package init(id: DeviceID, address: [String: JSONValue]) { (self.id, self.address) = (id, address) }
}

/// One order to move one lock once.
package struct LockOrder: Hashable, Sendable {
    /// The command that the order belongs to; no two orders have the same.
    package let commandID: CommandID
    /// The lock to move, which must be attached.
    package let deviceID: DeviceID
    /// One of `LockOperation.movements`.
    package let operation: LockOperation
    /// After this instant the order means nothing any more; for transports that can say so in the frame.
    package let deadline: Timestamp

    package init(commandID: CommandID, deviceID: DeviceID, operation: LockOperation, deadline: Timestamp) {
        (self.commandID, self.deviceID, self.operation, self.deadline) = (commandID, deviceID, operation, deadline)
    }
}

/// Receives what locks say. Returns at once; safe to call from any thread, also from inside `send`.
package protocol ReportReceiver: Sendable {
    /// Takes one message. A lock's messages come in the order in which the lock said them.
    func receive(_ report: LockReport)
}

/// One message of one lock, in the gateway's words.
package struct LockReport: Hashable, Sendable {
    /// The attached lock that speaks.
    package let deviceID: DeviceID
    /// What it says.
    package let fact: Fact

    package init(deviceID: DeviceID, _ fact: Fact) { (self.deviceID, self.fact) = (deviceID, fact) }

    /// What the lock says.
    package enum Fact: Hashable, Sendable {
        /// Where the bolt is. Only quality `.confirmed`, a live word of the lock, can end a command.
        case state(LockState, quality: StateQuality, method: EventMethod?, operatorName: String?)
        /// Whether the door stands open, from the lock's own contact or one beside it.
        case door(DoorState)
        /// 0 to 100, and the lock's own warning; each `nil` where this message does not say.
        case battery(level: Int?, low: Bool?)
        /// Whether the lock can be reached; `nil` when the transport no longer knows.
        case availability(Bool?)
        /// The lock or its bridge refuses the order that is under way.
        case refusal(RefusalCause)
        /// Something that is no state: a tamper alarm, a wrong code.
        case event(RecordEvent, method: EventMethod?, operatorName: String?)
    }
}

/// Why a lock or its bridge did not do what it was told. Raw values are the command's `outcomeDetail`.
package enum RefusalCause: String, CaseIterable, Sendable {
    /// It is doing something else: another order, an update.
    case busy
    /// The bridge does not let the gateway do this.
    case notAuthorised = "not_authorised"
    /// A code that the order needs is wrong or missing.
    case invalidCode = "invalid_code"
    /// The battery no longer moves the bolt.
    case lowPower = "low_power"
    /// The lock has not learnt where its ends are.
    case notCalibrated = "not_calibrated"
    /// The lock does not know the order.
    case unsupported
    /// The order got lost between the bridge and the lock.
    case transport
    /// The bridge knows the lock to be away.
    case offline = "device_offline"
    /// The bolt stuck; where it is now, a state tells.
    case jammed
    /// A cause that this list has no word for.
    case other
}

/// Why an adapter did not hand an order over, sorted by what to do next. Nothing has left when one is thrown.
package enum AdapterError: Error, Hashable, Sendable {
    /// The lock or its broker is known to be away: try again when it is back.
    case offline
    /// The transport cannot take more at this moment: try again shortly.
    case transportBusy
    /// The lock cannot do this at all: never try again.
    case unsupported
    /// The adapter does not know this lock: attach it first.
    case notAttached
}

/// What is wrong with an address: at least one mistake.
package struct AddressMistakes: Error, Hashable, Sendable {
    /// Never empty; sorted by field.
    package let mistakes: [Mistake]

    package init(_ mistakes: [Mistake]) { self.mistakes = mistakes }

    /// One thing that is wrong with one field.
    package struct Mistake: Hashable, Sendable {
        /// A path from the request's body: `address.latencyMs`.
        package let field: String
        /// A stable word: `unknown_key`, `wrong_type`, `out_of_range`, `required`.
        package let problem: String

        package init(field: String, problem: String) { (self.field, self.problem) = (field, problem) }
    }
}
