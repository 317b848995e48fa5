/// A persistent array: a copy costs nothing, and a change copies at most one page and the lists above it.
///
/// The array is a tree: 64 elements form a page, and 64 pages form a chapter. A page or chapter that only one array references is
/// changed in place; a shared one is copied first. The cost of a change is therefore nearly independent of the number of
/// elements: only the list of chapters, with one word for 4096 elements, grows with it.
struct PersistentArray<Element: Sendable>: Sendable {
    private typealias Page = ContiguousArray<Element>
    private typealias Chapter = ContiguousArray<Page>

    private var chapters: ContiguousArray<Chapter> = []
    private(set) var count = 0

    /// 64 elements in a page, and 64 pages in a chapter.
    private static var shift: Int { 6 }
    private static var capacity: Int { 1 << shift }

    subscript(index: Int) -> Element {
        @inline(__always)
        get { chapters[Self.chapter(index)][Self.page(index)][Self.offset(index)] }
        set { chapters[Self.chapter(index)][Self.page(index)][Self.offset(index)] = newValue }
    }

    mutating func append(_ element: Element) {
        let (chapter, page) = (Self.chapter(count), Self.page(count))
        if chapter == chapters.count { chapters.append([]) }
        if page == chapters[chapter].count {
            var new = Page()
            new.reserveCapacity(Self.capacity)
            chapters[chapter].append(new)
        }
        chapters[chapter][page].append(element)
        count += 1
    }

    /// Removes the last element, which must exist.
    mutating func removeLast() -> Element {
        count -= 1
        let (chapter, page) = (Self.chapter(count), Self.page(count))
        let element = chapters[chapter][page].removeLast()
        // Remove the page and the chapter if they are empty now.
        if chapters[chapter][page].isEmpty { chapters[chapter].removeLast() }
        if chapters[chapter].isEmpty { chapters.removeLast() }
        return element
    }

    @inline(__always)
    private static func chapter(_ index: Int) -> Int { index >> (2 * shift) }

    @inline(__always)
    private static func page(_ index: Int) -> Int { index >> shift & (capacity - 1) }

    @inline(__always)
    private static func offset(_ index: Int) -> Int { index & (capacity - 1) }
}

extension PersistentArray: Sequence {
    func makeIterator() -> some IteratorProtocol<Element> { (0..<count).lazy.map { self[$0] }.makeIterator() }
}
