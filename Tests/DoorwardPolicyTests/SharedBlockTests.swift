import Testing

@testable import DoorwardPolicy

@Suite struct SharedBlockTests {
    /// Says when it is let go of.
    private final class Witness: Sendable {
        let name: String

        init(_ name: String) { self.name = name }
    }

    private func contents(_ block: SharedBlock<Int>, _ count: Int) -> [Int] {
        withExtendedLifetime(block) { (0..<count).map { block.elements[$0] } }
    }

    @Test("Elements lie where they were put, up to the block's room", arguments: [1, 2, 64])
    func append(capacity: Int) {
        var block = SharedBlock<Int>(capacity: capacity)
        for number in 0..<capacity { block.append(number * number) }
        #expect(contents(block, capacity) == (0..<capacity).map { $0 * $0 })
    }

    @Test("A block that nobody else holds is changed in place; one that is shared is copied first")
    func uniqueness() {
        var block = SharedBlock<Int>(capacity: 4)
        block.append(1)
        let address = block.elements
        block.makeUnique()
        #expect(block.elements == address)
        let copy = block
        block.makeUnique()
        #expect(block.elements != address)
        #expect(copy.elements == address)
        block.elements[0] = 2
        block.append(3)
        #expect(contents(block, 2) == [2, 3])
        #expect(contents(copy, 1) == [1])
    }

    @Test("A copy has the room of the first")
    func room() {
        var block = SharedBlock<Int>(capacity: 3)
        block.append(1)
        let copy = block
        block.makeUnique()
        block.append(2)
        block.append(3)
        #expect(contents(block, 3) == [1, 2, 3])
        #expect(contents(copy, 1) == [1])
    }

    @Test("Elements live as long as the last block that has them")
    func lifetime() {
        weak var witness: Witness?
        do {
            var block = SharedBlock<Witness>(capacity: 2)
            do {
                let made = Witness("made")
                witness = made
                block.append(made)
            }
            do {
                let copy = block
                block.makeUnique()
                block.elements[0] = Witness("other")
                #expect(copy.elements[0].name == "made")
                #expect(witness != nil)
                withExtendedLifetime(copy) {}
            }
            #expect(witness == nil)
            withExtendedLifetime(block) {}
        }
    }
}

extension PagesTests {
    /// Around the borders of a page (64) and of a chapter (64 pages).
    static let borders = [0, 1, 2, 62, 63, 64, 65, 127, 128, 4094, 4095, 4096, 4097, 4160, 8191, 8192, 8193]

    @Test("At each border of page and chapter the last is there, and can be replaced and followed", arguments: borders)
    func border(count: Int) {
        var pages = Pages<Int>()
        for number in 0..<count { pages.append(number) }
        #expect(pages.count == count)
        #expect(Array(pages) == Array(0..<count))
        if count > 0 {
            pages[0] = -1
            pages[count - 1] = -2
            #expect(pages[count - 1] == -2)
            #expect(count == 1 || pages[0] == -1)
        }
        let earlier = pages
        pages.append(-3)
        #expect(pages[count] == -3 && pages.count == count + 1)
        #expect(earlier.count == count)
    }

    @Test("From one version many grow, and each has its own end", arguments: [0, 63, 64, 4095, 4096])
    func branches(count: Int) {
        var trunk = Pages<Int>()
        for number in 0..<count { trunk.append(number) }
        var branches = (0..<6).map { _ in trunk }
        for round in 0..<70 {
            for index in branches.indices { branches[index].append(index * 1000 + round) }
        }
        for (index, branch) in branches.enumerated() {
            #expect(Array(branch) == Array(0..<count) + (0..<70).map { index * 1000 + $0 })
        }
        #expect(Array(trunk) == Array(0..<count))
    }
}
