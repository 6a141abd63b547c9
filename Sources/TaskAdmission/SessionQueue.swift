import HeapModule
import TaskStore

/// One session's places and the front of its queue.
///
/// Everything held in memory starts before everything that is only in the store: a task that belongs behind the window
/// stays in the store, and one that belongs into it pushes the last one out. The store may still call a task queued
/// that was just started from here, so a start can come twice; the task's life cycle refuses the second.
struct SessionQueue {
    private(set) var running = 0
    /// Nothing is to be started at present.
    private(set) var isHeld = false
    private var limit: Int
    private var window: Int
    private var front = Heap<QueuePosition>()
    /// The tasks that wait in `front`, and where.
    ///
    /// A place in `front` that is not said here is an empty one: its task has
    /// been withdrawn or has moved, and nobody gets a turn when it comes to the front.
    private var places: [TaskID: QueuePosition] = [:]
    /// The store may have tasks behind the window.
    private var hasStored = false
    private var isLoading = false
    /// A task was left in the store while a part of the queue was being read: the reading may have missed it.
    private var leftWhileLoading = false
    /// The first of those.
    private var firstLeft: QueuePosition?
    /// Everything up to here has been in `front` since the queue was last read from its first; `nil` at the beginning.
    ///
    /// Tasks that do not start and stay queued in the store, as nobody can read them, are not read again and again.
    private var readUntil: QueuePosition?
    private var hasTurn = false

    init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }

    /// Takes other limits: what is too much for a smaller window stays in the store, what runs goes on.
    mutating func configure(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
        trim()
    }

    // MARK: Places

    /// Every place of the session is taken.
    var isFull: Bool { running >= limit }

    mutating func setHeld(_ isHeld: Bool) {
        self.isHeld = isHeld
    }

    /// A new task would be the next to start, and has a place.
    var isFree: Bool { !isHeld && !isFull && waiting == 0 && !hasStored }

    mutating func takePlace() {
        running += 1
    }

    mutating func release() -> Bool {
        guard running > 0 else { return false }
        running -= 1
        return true
    }

    /// Whether the session should be appended to the turns: it has a task and a place, and no turn yet.
    mutating func wantsTurn() -> Bool {
        guard !hasTurn, !isHeld, !isFull, waiting > 0 else { return false }
        hasTurn = true
        return true
    }

    /// Uses the turn.
    ///
    /// - Returns: The task to start, if it has one and a place.
    mutating func useTurn() -> TaskID? {
        hasTurn = false
        guard !isHeld, !isFull else { return nil }
        while let first = front.min {
            if places[first.id] == first { return first.id }
            front.removeMin()
        }
        return nil
    }

    /// Takes the first task, which ``useTurn()`` has named, and a place for it.
    mutating func start() {
        if let first = front.popMin(), leave(first) { running += 1 }
    }

    // MARK: Window

    /// How many tasks in `front` wait for a turn.
    private var waiting: Int { places.count }

    /// A task is queued: a new one, one that was withdrawn, or one that is queued already and moves.
    mutating func insert(_ position: QueuePosition) {
        guard places[position.id] != position else { return }
        withdraw(position.id)
        if hasStored {
            // Behind the window there may be others that go first.
            guard let last = front.max ?? readUntil, position <= last else { return leaveInStore(position) }
        }
        hold(position)
        trim()
    }

    private mutating func trim() {
        while waiting > window, let last = front.popMax() {
            guard leave(last) else { continue }
            // No empty place of the same task stays: what is read next comes after the last place that is held.
            while front.max == last { front.removeMax() }
            leaveInStore(last)
        }
    }

    /// A task is queued no more, and was not started.
    mutating func withdraw(_ id: TaskID) {
        guard places.removeValue(forKey: id) != nil else { return }
        if front.count - waiting > waiting + 16 { keep { _ in true } }
    }

    /// Takes a task out of a place that was taken out of `front`; `false` when the place was empty.
    private mutating func leave(_ position: QueuePosition) -> Bool {
        guard places[position.id] == position else { return false }
        places[position.id] = nil
        return true
    }

    /// Keeps what waits in `front` and meets a condition, and nothing else.
    private mutating func keep(where isKept: (QueuePosition) -> Bool) {
        places = places.filter { isKept($0.value) }
        front = Heap(places.values)
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

    /// Holds a task, unless it is held: what is known here is newer than what was read.
    private mutating func hold(_ position: QueuePosition) {
        guard places[position.id] == nil else { return }
        places[position.id] = position
        front.insert(position)
    }

    mutating func startLoad() -> (position: QueuePosition?, limit: Int)? {
        guard hasStored, !isLoading, waiting <= window / 4 else { return nil }
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
        positions.forEach { hold($0) }
        hasStored = leftWhileLoading || positions.count >= limit
        noteRead(positions)
        if let firstLeft { forget(from: firstLeft) }
    }

    /// Takes note of how far the store was read: up to the first task that the reading may have missed.
    private mutating func noteRead(_ positions: [QueuePosition]) {
        guard hasStored, firstLeft != nil || !leftWhileLoading else {
            readUntil = nil
            return
        }
        readUntil = positions.last { position in firstLeft.map { position < $0 } ?? true } ?? readUntil
    }

    /// Leaves everything from a place on to the store.
    ///
    /// What was read may reach beyond a task that the reading has missed, which would then be behind the window's back.
    private mutating func forget(from place: QueuePosition) {
        guard let last = front.max, place < last else { return }
        keep { $0 < place }
    }
}
