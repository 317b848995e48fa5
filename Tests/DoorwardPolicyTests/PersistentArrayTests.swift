import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct PersistentArrayTests {
    @Test("Behaves like an `Array` when elements are appended and replaced", arguments: 0..<3 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pages = PersistentArray<String>()
        var array: [String] = []
        for step in 0..<9000 {
            if array.isEmpty || Int.random(in: 0..<10, using: &generator) < 6 {
                pages.append("new \(step)")
                array.append("new \(step)")
            } else {
                let index = Int.random(in: 0..<array.count, using: &generator)
                (pages[index], array[index]) = ("changed \(step)", "changed \(step)")
            }
            #expect(pages.count == array.count)
        }
        #expect(array.count > 4096 + 64, "more than one chapter")
        #expect(Array(pages) == array)
    }

    @Test("Elements are removed from the end across the borders of pages and chapters, and a copy keeps them", arguments: borders)
    func removal(count: Int) {
        var pages = PersistentArray<String>()
        for number in 0..<count { pages.append("\(number)") }
        let whole = pages
        for number in (0..<count).reversed() where number >= count - 70 {
            #expect(pages.removeLast() == "\(number)")
            #expect(pages.count == number)
        }
        #expect(Array(pages) == (0..<max(0, count - 70)).map { "\($0)" })
        for number in 0..<140 { pages.append("again \(number)") }
        #expect(Array(pages).suffix(140) == (0..<140).map { "again \($0)" })
        #expect(Array(whole) == (0..<count).map { "\($0)" })
    }

    @Test("A copy keeps its elements while other copies change", arguments: [1, 63, 64, 65, 4095, 4096, 4097])
    func persistence(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        var versions: [(pages: PersistentArray<[Int]>, array: [[Int]])] = []
        var pages = PersistentArray<[Int]>()
        for index in 0..<count { pages.append([index]) }
        var array = (0..<count).map { [$0] }
        for round in 0..<40 {
            versions.append((pages, array))
            let index = Int.random(in: 0..<count, using: &generator)
            (pages[index], array[index]) = ([index, round], [index, round])
            pages.append([-round])
            array.append([-round])
            // An older copy changes independently too.
            let older = versions.indices.randomElement(using: &generator) ?? 0
            versions[older].pages[0] = [older, round]
            versions[older].array[0] = [older, round]
        }
        versions.append((pages, array))
        for version in versions { #expect(Array(version.pages) == version.array) }
    }

    @Test("An element lives exactly as long as a copy contains it")
    func lifetime() {
        final class Witness: Sendable {}
        weak var replaced: Witness?
        weak var kept: Witness?
        do {
            var pages = PersistentArray<Witness>()
            do {
                let (first, second) = (Witness(), Witness())
                (replaced, kept) = (first, second)
                pages.append(first)
                pages.append(second)
            }
            do {
                let earlier = pages
                pages[0] = Witness()
                #expect(earlier[0] === replaced)
                #expect(replaced != nil)
            }
            #expect(replaced == nil)
            #expect(pages[1] === kept)
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }
}

extension PersistentArrayTests {
    /// Counts around the size of a page (64) and of a chapter (64 pages).
    static let borders = [0, 1, 2, 62, 63, 64, 65, 127, 128, 4094, 4095, 4096, 4097, 4160, 8191, 8192, 8193]

    @Test(
        "At each border of a page or chapter the last element is found, and elements can be replaced and appended",
        arguments: borders)
    func border(count: Int) {
        var pages = PersistentArray<Int>()
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

    @Test("Several copies of one array grow independently", arguments: [0, 63, 64, 4095, 4096])
    func branches(count: Int) {
        var trunk = PersistentArray<Int>()
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
