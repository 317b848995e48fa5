import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain

/// An MQTT adapter that also records its reports for a test, after the core has received them.
final class RecordingAdapter: LockAdapter {
    let reports = RecordedReports()
    private let mqtt: MQTTAdapter

    init(_ mqtt: MQTTAdapter) { self.mqtt = mqtt }

    private struct Both: ReportReceiver {
        let core: any ReportReceiver
        let recorded: RecordedReports

        func receive(_ report: LockReport) {
            core.receive(report)
            recorded.receive(report)
        }
    }

    var kind: String { mqtt.kind }
    var addressFields: [AddressField] { mqtt.addressFields }
    var health: AdapterHealth { mqtt.health }
    func owner(of address: [String: JSONValue]) -> TransportOwner? { mqtt.owner(of: address) }
    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        try mqtt.check(address: address, within: scope)
    }
    func start(reports: any ReportReceiver) async throws {
        try await mqtt.start(reports: Both(core: reports, recorded: self.reports))
    }
    func stop() async { await mqtt.stop() }
    func attach(_ lock: AttachedLock) { mqtt.attach(lock) }
    func detach(_ id: DeviceID) { mqtt.detach(id) }
    func send(_ command: LockCommand) throws(AdapterError) { try mqtt.send(command) }
    func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? { mqtt.problem(of: command, for: id) }
    func refresh(_ id: DeviceID) throws(AdapterError) { try mqtt.refresh(id) }
}
