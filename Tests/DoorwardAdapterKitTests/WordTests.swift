import DoorwardAdapterKit
import Testing

/// Words that programs outside hold on to.
@Suite struct WordTests {
    @Test("the causes of a refusal are the words of a command's outcome")
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
