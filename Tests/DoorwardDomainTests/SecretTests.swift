import DoorwardDomain
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let name = "holder"
        let password = Secret("correct horse battery staple")
    }

    @Test("A printed secret is a mask that does not reveal its length")
    func masked() {
        let (secret, short) = (Secret("correct horse battery staple"), Secret("x"))
        var dumped = ""
        dump(Holder(), to: &dumped)
        let printed = ["\(secret)", String(describing: secret), String(reflecting: secret), "\(Holder())", "\([secret])", dumped]
        for text in printed { #expect(!text.contains("horse")) }
        #expect(secret.description == short.description)
        #expect(String(reflecting: secret) == String(reflecting: short))
    }

    @Test("`reveal` returns the value")
    func reveals() { #expect(Secret([1, 2, 3]).reveal() == [1, 2, 3]) }
}

extension SecretTests {
    private enum Choice {
        case password(Secret<String>)
    }

    private struct Failure: Error {
        let token = Secret("correct horse battery staple")
    }

    private static let secret = Secret("correct horse battery staple")

    @Test(
        "A secret in a collection, an optional, an enum, an error or another secret is masked too",
        arguments: [
            "\([secret])", "\(["key": secret])", "\(Optional(secret) as Any)", "\((secret, 1))", "\(Choice.password(secret))",
            "\(Failure())", "\(Failure() as any Error)", "\(Secret(secret))", String(reflecting: [secret]),
            String(reflecting: Optional(secret)), String(reflecting: Choice.password(secret)), String(reflecting: Failure()),
            String(describing: Result<Secret<String>, Failure>.success(secret)),
        ])
    func nested(printed: String) {
        #expect(!printed.contains("horse"))
        #expect(printed.contains("••••"))
    }

    @Test("The mirror of a secret does not contain its value")
    func mirror() {
        func walk(_ value: Any, _ depth: Int = 0) -> [String] {
            guard depth < 6 else { return [] }
            return ["\(value)"] + Mirror(reflecting: value).children.flatMap { walk($0.value, depth + 1) }
        }
        for text in walk(Self.secret) + walk(Failure()) + walk([Self.secret]) { #expect(!text.contains("horse")) }
    }

    @Test("A secret of bytes or numbers is masked like one of text")
    func otherValues() {
        #expect("\(Secret<[UInt8]>([104, 111, 114]))" == "\(Secret("x"))")
        #expect("\(Secret(4711))" == "\(Secret(0))")
        var dumped = ""
        dump(Secret(4711), to: &dumped)
        #expect(!dumped.contains("4711"))
    }
}
