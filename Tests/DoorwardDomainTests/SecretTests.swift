import DoorwardDomain
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let name = "holder"
        let password = Secret("correct horse battery staple")
    }

    @Test("Whatever prints a secret prints a mask that does not show its length")
    func masked() {
        let (secret, short) = (Secret("correct horse battery staple"), Secret("x"))
        var dumped = ""
        dump(Holder(), to: &dumped)
        let printed = ["\(secret)", String(describing: secret), String(reflecting: secret), "\(Holder())", "\([secret])", dumped]
        for text in printed { #expect(!text.contains("horse")) }
        #expect(secret.description == short.description)
        #expect(String(reflecting: secret) == String(reflecting: short))
    }

    @Test("A secret reveals its value to whoever asks for it by name")
    func reveals() { #expect(Secret([1, 2, 3]).reveal() == [1, 2, 3]) }
}
