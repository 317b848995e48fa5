import DoorwardAdapterKit
import Testing

/// Values that other programs depend on.
@Suite struct RawValueTests {
    @Test("the reasons of a refusal are the values of a command's outcome detail")
    func refusalCauses() {
        let words = [
            "busy", "not_authorised", "invalid_code", "low_power", "not_calibrated", "unsupported", "transport", "device_offline",
            "jammed", "other",
        ]
        #expect(LockRefusal.allCases.map(\.rawValue) == words)
        #expect(words.allSatisfy { LockRefusal(rawValue: $0)?.rawValue == $0 })
        #expect(LockRefusal(rawValue: "Busy") == nil)
    }

    @Test("an adapter is ok, degraded or down")
    func health() {
        #expect(AdapterHealth.allCases.map(\.rawValue) == ["ok", "degraded", "down"])
    }
}
