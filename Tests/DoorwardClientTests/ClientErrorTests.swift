import Testing

@testable import DoorwardClient

@Suite struct ClientErrorTests {
    @Test("two refusals with different codes are different errors")
    func refusalsDiffer() {
        let jammed = ClientError.refused(APIError(status: 502, code: "lock_jammed", message: "The lock is jammed."))
        #expect(jammed != .refused(APIError(status: 502, code: "adapter_failure", message: "The lock is jammed.")))
    }
}
