package import DoorwardDomain
internal import HashTreeCollections

/// An element of an `EntityTable`.
protocol TableEntry: Sendable {
    associatedtype Entity
    var id: EntityID<Entity> { get }
}

/// All entities of one kind by id: a persistent dictionary. A lookup takes two memory accesses, and
/// a copy costs nothing. The slot of an entity changes only when another entity is removed.
struct EntityTable<Entry: TableEntry>: Sendable {
    private var index = SlotIndex<Entry.Entity>()
    private var entries = PersistentArray<Entry>()

    var count: Int { entries.count }
    var ids: [EntityID<Entry.Entity>] { entries.map(\.id) }

    @inline(__always)
    func slot(of id: EntityID<Entry.Entity>) -> Int? {
        index.slot(of: id, in: entries)
    }

    subscript(id: EntityID<Entry.Entity>) -> Entry? {
        @inline(__always)
        get { slot(of: id).map { entries[$0] } }
    }

    subscript(slot slot: Int) -> Entry {
        @inline(__always)
        get { entries[slot] }
    }

    /// Adds the entry, or replaces the entry with the same id.
    ///
    /// - Returns: the entry's slot; a new entry gets the slot after the last one.
    @discardableResult
    mutating func put(_ entry: Entry) -> Int {
        if let slot = slot(of: entry.id) {
            entries[slot] = entry
            return slot
        }
        entries.append(entry)
        index.insert(entry.id, at: entries.count - 1)
        return entries.count - 1
    }

    /// Removes an entry, and moves the last entry to its slot, so that no slot is empty.
    ///
    /// - Returns: the slot that the removed entry had; `nil` if there is no such entry.
    @discardableResult
    mutating func remove(_ id: EntityID<Entry.Entity>) -> Int? {
        guard let slot = slot(of: id) else { return nil }
        index.remove(id, at: slot)
        let last = entries.removeLast()
        if slot < entries.count {
            index.move(last.id, from: entries.count, to: slot)
            entries[slot] = last
        }
        return slot
    }
}

extension EntityTable: Sequence {
    func makeIterator() -> some IteratorProtocol<Entry> { entries.makeIterator() }
}

/// Maps an entity's id to its slot in a table, with one access to one cache line.
///
/// The index uses linear hashing (Litwin, "Linear Hashing: A New Tool for File and Table Addressing", 1980). Entries are stored
/// in buckets of eight. Whenever the buckets contain more than three entries on average, the next bucket in turn is split in two,
/// so that no insertion moves the entries of more than one bucket. The few entries that do not fit into their bucket are stored
/// in a tree.
///
/// An entry contains a slot and 32 bits of the id's hash. If the hash matches, a lookup compares
/// the id with the one in the table.
struct SlotIndex<Entity>: Sendable {
    /// Eight entries; used lanes come first, and a free lane is zero.
    private typealias Bucket = SIMD8<UInt64>

    /// An entry, with the hash in its upper half and the slot plus one in its lower half.
    private struct Located {
        let bits: UInt64

        var hash: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }
        var slot: Int { Int(bits & 0xFFFF_FFFF) - 1 }
        var isFree: Bool { bits == 0 }
    }

    private var buckets = PersistentArray<Bucket>()
    /// Entries that did not fit into their bucket, by the bucket's index.
    private var overflow: TreeDictionary<Int, [UInt64]> = [:]
    private var count = 0
    /// One less than the greatest power of two that is not above the number of buckets.
    private var mask = 0

    private static var entriesPerBucket: Int { 3 }

    init() { buckets.append(Bucket()) }

    /// Returns the slot of an id in `table`, which must be the table of this index.
    @inline(__always)
    func slot<Entry: TableEntry>(of id: EntityID<Entity>, in table: PersistentArray<Entry>) -> Int? where Entry.Entity == Entity {
        let hash = Self.hash(id)
        let bucket = bucket(of: hash)
        let entries = buckets[bucket]
        for lane in 0..<Bucket.scalarCount {
            let entry = Located(bits: entries[lane])
            if entry.isFree { return nil }
            if entry.hash == hash && table[entry.slot].id == id { return entry.slot }
        }
        return overflow.isEmpty
            ? nil
            : overflow[bucket].flatMap { bits in
                bits.lazy.map(Located.init(bits:)).first { $0.hash == hash && table[$0.slot].id == id }?.slot
            }
    }

    /// Adds an id that is not in the index. The slot must be below 2³² - 1.
    mutating func insert(_ id: EntityID<Entity>, at slot: Int) {
        let hash = Self.hash(id)
        place(Self.bits(hash, slot), in: bucket(of: hash))
        count += 1
        if count > buckets.count * Self.entriesPerBucket { split() }
    }

    /// Removes an id that has this slot. The number of buckets is unchanged.
    mutating func remove(_ id: EntityID<Entity>, at slot: Int) {
        let hash = Self.hash(id)
        let bucket = bucket(of: hash)
        let bits = Self.bits(hash, slot)
        count -= 1
        guard let lane = lane(of: bits, in: bucket) else {
            overflow[bucket]?.removeAll { $0 == bits }
            if overflow[bucket]?.isEmpty == true { overflow[bucket] = nil }
            return
        }
        // Keep used lanes first: fill the free lane from the overflow, or else with the last entry of the bucket.
        if let moved = overflow[bucket]?.popLast() {
            buckets[bucket][lane] = moved
            if overflow[bucket]?.isEmpty == true { overflow[bucket] = nil }
        } else {
            let taken = buckets[bucket].indices.count { buckets[bucket][$0] != 0 }
            buckets[bucket][lane] = buckets[bucket][taken - 1]
            buckets[bucket][taken - 1] = 0
        }
    }

    /// Records that an id has moved to another slot.
    mutating func move(_ id: EntityID<Entity>, from slot: Int, to other: Int) {
        let hash = Self.hash(id)
        let bucket = bucket(of: hash)
        let (bits, moved) = (Self.bits(hash, slot), Self.bits(hash, other))
        if let lane = lane(of: bits, in: bucket) {
            buckets[bucket][lane] = moved
        } else {
            overflow[bucket] = overflow[bucket]?.map { $0 == bits ? moved : $0 }
        }
    }

    private func lane(of bits: UInt64, in bucket: Int) -> Int? {
        let entries = buckets[bucket]
        return entries.indices.first { entries[$0] == bits }
    }

    private static func bits(_ hash: UInt32, _ slot: Int) -> UInt64 { UInt64(hash) << 32 | UInt64(UInt32(slot) + 1) }

    private func bucket(of hash: UInt32) -> Int {
        let wide = Int(hash) & (mask << 1 | 1)
        return wide < buckets.count ? wide : wide & mask
    }

    private mutating func place(_ bits: UInt64, in bucket: Int) {
        for lane in 0..<Bucket.scalarCount where buckets[bucket][lane] == 0 {
            buckets[bucket][lane] = bits
            return
        }
        overflow[bucket, default: []].append(bits)
    }

    /// Splits the next bucket in turn. For each entry in the bucket, one more bit of the hash
    /// determines whether the entry remains there or moves to a new bucket at the end.
    private mutating func split() {
        let index = buckets.count & mask
        let full = buckets[index]
        let entries = full.indices.map { full[$0] }.filter { $0 != 0 } + (overflow.removeValue(forKey: index) ?? [])
        buckets[index] = Bucket()
        buckets.append(Bucket())
        if buckets.count == 2 * (mask + 1) { mask = mask << 1 | 1 }
        for bits in entries { place(bits, in: bucket(of: Located(bits: bits).hash)) }
    }

    /// Hashes both halves of the id with the finaliser of MurmurHash3. Ids are random and generated
    /// by the gateway, so clients cannot cause collisions.
    @inline(__always)
    private static func hash(_ id: EntityID<Entity>) -> UInt32 {
        var mixed = id.low ^ id.high &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return UInt32(truncatingIfNeeded: mixed ^ mixed >> 33)
    }
}

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

/// A few ids in ascending order without duplicates, in one block of memory.
///
/// The type is meant for the few ids of one unit, user or device, because adding an id copies the block.
package struct SortedIDs<Entity>: Hashable, Sendable {
    private var ids: ContiguousArray<EntityID<Entity>> = []

    package init() {}

    /// The ids of a sequence in any order; duplicates are dropped.
    package init(_ ids: some Sequence<EntityID<Entity>>) {
        for id in ids { insert(id) }
    }

    /// Whether `id` is contained, in logarithmic time.
    package func contains(_ id: EntityID<Entity>) -> Bool {
        let index = lowerBound(of: id)
        return index < ids.count && ids[index] == id
    }

    /// Adds `id` if it is not contained, in linear time.
    package mutating func insert(_ id: EntityID<Entity>) {
        let index = lowerBound(of: id)
        if index < ids.count && ids[index] == id { return }
        // Allocate exactly the required size: there are millions of these arrays, and most never change.
        var grown = ContiguousArray<EntityID<Entity>>()
        grown.reserveCapacity(ids.count + 1)
        grown += ids[..<index]
        grown.append(id)
        grown += ids[index...]
        ids = grown
    }

    /// Removes `id` if it is contained, in linear time.
    package mutating func remove(_ id: EntityID<Entity>) {
        let index = lowerBound(of: id)
        if index < ids.count && ids[index] == id { ids.remove(at: index) }
    }

    @inline(__always)
    private func lowerBound(of id: EntityID<Entity>) -> Int { ids.lowerBound { $0 < id } }
}

extension SortedIDs: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { ids.count }
    package subscript(index: Int) -> EntityID<Entity> { ids[index] }
}

extension ContiguousArray {
    /// Returns the index of the first element for which `isBefore` is false. All elements for which it is true must come first.
    @inline(__always)
    func lowerBound(where isBefore: (Element) -> Bool) -> Int { bisect(count) { isBefore(self[$0]) } }
}

/// Returns the first number below `count` for which `isBefore` is false. All numbers for which it is true must come first.
@inline(__always)
func bisect(_ count: Int, isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}
