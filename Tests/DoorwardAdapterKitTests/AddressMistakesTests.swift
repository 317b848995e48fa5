import DoorwardAdapterKit
import Testing

@Suite struct AddressMistakesTests {
    @Test("mistakes are told apart by field and by problem")
    func mistakesDiffer() {
        let range = AddressMistakes.Mistake(field: "address.latencyMs", problem: "out_of_range")
        #expect(AddressMistakes([range]) != AddressMistakes([.init(field: "address.seed", problem: "out_of_range")]))
        #expect(AddressMistakes([range]) != AddressMistakes([.init(field: "address.latencyMs", problem: "wrong_type")]))
    }
}
