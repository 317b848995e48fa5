import DoorwardAdapterKit
import Testing

@Suite struct AddressErrorsTests {
    @Test("address errors are equal only if field and problem are equal")
    func mistakesDiffer() {
        let range = AddressErrors.Mistake(field: "address.latencyMs", problem: "out_of_range")
        #expect(AddressErrors([range]) != AddressErrors([.init(field: "address.seed", problem: "out_of_range")]))
        #expect(AddressErrors([range]) != AddressErrors([.init(field: "address.latencyMs", problem: "wrong_type")]))
    }
}
