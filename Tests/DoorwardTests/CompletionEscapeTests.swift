import ArgumentParser
import Testing

@testable import doorward

@Suite("Escaping names for shell completion") struct CompletionEscapeTests {
    @Test(
        "names are escaped for bash, and unchanged for the other shells",
        arguments: [("Door 1A", #"Door\ 1A"#), ("Tür", "Tür"), ("東口 2", #"東口\ 2"#), ("Tom's no. 3/4", #"Tom\'s\ no\.\ 3\/4"#)])
    func escaped(_ name: String, _ bash: String) {
        #expect(Completion.escaped(name, for: .bash) == bash)
        #expect(Completion.escaped(name, for: .zsh) == name)
        #expect(Completion.escaped(name, for: .fish) == name)
    }

    @Test(
        "a name that a shell could interpret is not offered",
        arguments: [
            "", "-x", "a\nb", "a\tb", "a\u{202E}b", "$(x)", "a`x`", "a;b", "a&b", "a|b", "a\\b", "a:b", "a\"b", "~", "{a,b}", "*",
        ])
    func left(_ name: String) {
        for shell in CompletionShell.allCases { #expect(Completion.escaped(name, for: shell) == nil) }
    }

    @Test("if the names cannot be read, nothing is offered")
    func failure() async {
        struct Away: Error {}
        #expect(await Completion.names { throw Away() } == [])
    }
}
