import ErrandTaskStore
import HeapModule

/// The slots of one session and the front of its queue.
///
/// Tasks in memory start before tasks that are only in the store: a task beyond the window stays in the store, and a
/// task within it pushes the last one out. The store may still report a task as queued that was just started from here,
/// so a start can occur twice; the task's life cycle refuses the second.
struct SessionQueue {
    private(set) var running = 0
    /// True if no task may be started at present.
    private(set) var isPaused = false
    private var limit: Int
    private var window: Int
    private var front = Heap<QueuePosition>()
    /// The tasks that wait in `front`, with their positions.
    ///
    /// A position in `front` without an entry here is stale: its task was withdrawn or moved. It is skipped when it
    /// comes to the front.
    private var positions: [TaskID: QueuePosition] = [:]
    /// True if the store may have tasks beyond the window.
    private var hasStored = false
    private var isLoading = false
    /// True if a task was left in the store during a load, which may have missed it.
    private var leftWhileLoading = false
    /// The first of these tasks.
    private var firstLeft: QueuePosition?
    /// The position up to which the queue was loaded into `front` since it was last read from the start; `nil`
    /// initially.
    ///
    /// Keeps unreadable tasks, which stay queued in the store, from being loaded again and again.
    private var readUntil: QueuePosition?
    private var hasTurn = false
    /// True from ``wantsLoad()`` to ``startLoad()``.
    private var hasRequestedLoad = false

    init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }

    /// Replaces the limits; tasks beyond a smaller window stay in the store, running tasks continue.
    mutating func configure(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
        trim()
    }

    // MARK: Slots

    /// True if all slots of the session are taken.
    var isFull: Bool { running >= limit }

    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
    }

    /// True if a new task would be the next to start, and has a slot.
    var isFree: Bool { !isPaused && !isFull && waiting == 0 && !hasStored }

    mutating func takeSlot() {
        running += 1
    }

    mutating func release() -> Bool {
        guard running > 0 else { return false }
        running -= 1
        return true
    }

    /// Returns true if the session needs a turn: it has a task and a slot, and no turn yet.
    mutating func wantsTurn() -> Bool {
        guard !hasTurn, !isPaused, !isFull, waiting > 0 else { return false }
        hasTurn = true
        return true
    }

    /// Uses the turn.
    ///
    /// - Returns: The task to start, if there is one and a slot for it.
    mutating func useTurn() -> TaskID? {
        hasTurn = false
        guard !isPaused, !isFull else { return nil }
        return first()?.id
    }

    /// Returns the first task of the queue; `nil` if none is in memory.
    mutating func first() -> QueuePosition? {
        while let first = front.min {
            if positions[first.id] == first { return first }
            front.removeMin()
        }
        return nil
    }

    /// Removes the first task, which ``useTurn()`` returned, and takes a slot for it.
    mutating func start() {
        if let first = front.popMin(), leave(first) { running += 1 }
    }

    // MARK: Window

    /// The number of tasks in `front` that wait.
    private var waiting: Int { positions.count }

    /// Adds a queued task, or moves one that is already queued.
    mutating func insert(_ position: QueuePosition) {
        guard positions[position.id] != position else { return }
        withdraw(position.id)
        if hasStored {
            // Beyond the window there may be others that come first.
            guard let last = front.max ?? readUntil, position <= last else { return leaveInStore(position) }
        }
        retain(position)
        trim()
    }

    private mutating func trim() {
        while waiting > window, let last = front.popMax() {
            guard leave(last) else { continue }
            // Removes stale positions of the same task too: the next load continues after the last position in `front`.
            while front.max == last { front.removeMax() }
            leaveInStore(last)
        }
    }

    /// Removes a task that was not started.
    mutating func withdraw(_ id: TaskID) {
        guard positions.removeValue(forKey: id) != nil else { return }
        if front.count - waiting > waiting + 16 { keep { _ in true } }
    }

    /// Removes a task at a position that was taken from `front`; returns false if the position is stale.
    private mutating func leave(_ position: QueuePosition) -> Bool {
        guard positions[position.id] == position else { return false }
        positions[position.id] = nil
        return true
    }

    /// Keeps only the tasks in `front` that meet a condition.
    private mutating func keep(where isKept: (QueuePosition) -> Bool) {
        positions = positions.filter { isKept($0.value) }
        front = Heap(positions.values)
    }

    mutating func noteStored() {
        hasStored = true
        leftWhileLoading = isLoading
        readUntil = nil
    }

    private mutating func leaveInStore(_ position: QueuePosition) {
        hasStored = true
        leftWhileLoading = isLoading
        if let end = readUntil, position <= end { readUntil = nil }
        if isLoading { firstLeft = min(firstLeft ?? position, position) }
    }

    /// Adds a loaded task, unless it is already known: the position in memory is newer than the loaded one.
    private mutating func retain(_ position: QueuePosition) {
        guard positions[position.id] == nil else { return }
        positions[position.id] = position
        front.insert(position)
    }

    /// True if the queue should be loaded: it has run low, and the store may have more.
    private var runsLow: Bool { hasStored && !isLoading && waiting <= window / 4 }

    /// Returns true if the queue should be loaded and this was not returned yet since the last ``startLoad()``.
    mutating func wantsLoad() -> Bool {
        guard !hasRequestedLoad, runsLow else { return false }
        hasRequestedLoad = true
        return true
    }

    /// Begins a load, if the queue should still be loaded.
    mutating func startLoad() -> (position: QueuePosition?, limit: Int)? {
        hasRequestedLoad = false
        guard runsLow else { return nil }
        isLoading = true
        leftWhileLoading = false
        firstLeft = nil
        return (front.max ?? readUntil, window - waiting)
    }

    mutating func finishLoad(_ positions: [QueuePosition]?, limit: Int) {
        isLoading = false
        defer {
            leftWhileLoading = false
            firstLeft = nil
        }
        guard let positions else { return }
        positions.forEach { retain($0) }
        hasStored = leftWhileLoading || positions.count >= limit
        noteRead(positions)
        if let firstLeft { forget(from: firstLeft) }
    }

    /// Updates the position up to which the queue was loaded: at most up to the first task that the load may have
    /// missed.
    private mutating func noteRead(_ positions: [QueuePosition]) {
        guard hasStored, firstLeft != nil || !leftWhileLoading else {
            readUntil = nil
            return
        }
        readUntil = positions.last { position in firstLeft.map { position < $0 } ?? true } ?? readUntil
    }

    /// Leaves all tasks from a position on to the store.
    ///
    /// A load may reach beyond a task that it missed, which would then never be loaded.
    private mutating func forget(from position: QueuePosition) {
        guard let last = front.max, position < last else { return }
        keep { $0 < position }
    }
}
