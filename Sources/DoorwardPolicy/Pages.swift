/// A persistent array: a value that is copied at no cost, and of which a change copies one page.
///
/// Elements lie in pages of 64, pages in chapters of 64; what nobody else holds is changed in place, the rest is copied
/// first. So a change costs the same whatever the number of elements (but for one word for each 4096), and reading touches
/// one place in memory that is not likely to be in the cache: the element's own.
struct Pages<Element: Sendable>: Sendable {
    private typealias Page = SharedBlock<Element>
    private typealias Chapter = SharedBlock<Page>

    private var chapters: ContiguousArray<Chapter> = []
    private(set) var count = 0

    /// 64 elements in a block.
    private static var shift: Int { 6 }
    private static var capacity: Int { 1 << shift }

    subscript(index: Int) -> Element {
        @inline(__always)
        get {
            precondition(index >= 0 && index < count)
            // The addresses say nothing of their owners to the compiler, which might else let go of `self` before the look.
            return withExtendedLifetime(chapters) {
                chapters[Self.chapter(index)].elements[Self.page(index)].elements[Self.offset(index)]
            }
        }
        set {
            precondition(index >= 0 && index < count)
            makeUnique(index)
            chapters[Self.chapter(index)].elements[Self.page(index)].elements[Self.offset(index)] = newValue
        }
    }

    mutating func append(_ element: Element) {
        let index = count
        if index & (Self.capacity * Self.capacity - 1) == 0 { chapters.append(Chapter(capacity: Self.capacity)) }
        chapters[Self.chapter(index)].makeUnique()
        if Self.offset(index) == 0 { chapters[Self.chapter(index)].append(Page(capacity: Self.capacity)) }
        makeUnique(index)
        chapters[Self.chapter(index)].elements[Self.page(index)].append(element)
        count += 1
    }

    /// Takes the last element out, which must be there.
    mutating func removeLast() -> Element {
        let index = count - 1
        let element = self[index]
        makeUnique(index)
        chapters[Self.chapter(index)].elements[Self.page(index)].removeLast()
        // A page without elements goes, and a chapter without pages.
        if Self.offset(index) == 0 { chapters[Self.chapter(index)].removeLast() }
        if index & (Self.capacity * Self.capacity - 1) == 0 { chapters.removeLast() }
        count = index
        return element
    }

    /// Sees to it that nobody else holds the page of an element, nor its chapter.
    private mutating func makeUnique(_ index: Int) {
        chapters[Self.chapter(index)].makeUnique()
        chapters[Self.chapter(index)].elements[Self.page(index)].makeUnique()
    }

    @inline(__always)
    private static func chapter(_ index: Int) -> Int { index >> (2 * shift) }

    @inline(__always)
    private static func page(_ index: Int) -> Int { index >> shift & (capacity - 1) }

    @inline(__always)
    private static func offset(_ index: Int) -> Int { index & (capacity - 1) }
}

extension Pages: Sequence {
    func makeIterator() -> some IteratorProtocol<Element> { (0..<count).lazy.map { self[$0] }.makeIterator() }
}
