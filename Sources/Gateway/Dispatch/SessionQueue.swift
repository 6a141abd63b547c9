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
    /// What is in `front`, so that a task read from the store twice is held once.
    private var held: Set<TaskID> = []
    /// What of it is queued no more: it gets no turn when it comes to the front.
    private var withdrawn: Set<TaskID> = []
    /// The store may have tasks behind the window.
    private var hasStored = false
    private var isLoading = false
    /// A task was left in the store while a part of the queue was being read: the reading may have missed it.
    private var leftWhileLoading = false
    /// The first of those.
    private var firstLeft: QueuePosition?
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

    mutating func reserve() -> Bool {
        guard !isHeld, !isFull, waiting == 0, !hasStored else { return false }
        running += 1
        return true
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

    /// Uses the turn: takes the first task and a place for it.
    mutating func start() -> QueuePosition? {
        hasTurn = false
        guard !isHeld, !isFull else { return nil }
        while let first = front.popMin() {
            held.remove(first.id)
            guard withdrawn.remove(first.id) == nil else { continue }
            running += 1
            return first
        }
        return nil
    }

    // MARK: Window

    /// How many tasks in `front` wait for a turn.
    private var waiting: Int { held.count - withdrawn.count }

    mutating func insert(_ position: QueuePosition) {
        // Withdrawn before, and still in its place.
        if withdrawn.remove(position.id) != nil { return }
        if hasStored {
            // Behind the window there may be others that go first.
            guard let last = front.max, position < last else { return leaveInStore(position) }
        }
        hold(position)
        trim()
    }

    private mutating func trim() {
        while front.count > window, let last = front.popMax() {
            held.remove(last.id)
            if withdrawn.remove(last.id) == nil { leaveInStore(last) }
        }
    }

    /// A task is queued no more, and was not started.
    mutating func withdraw(_ id: TaskID) {
        guard held.contains(id) else { return }
        withdrawn.insert(id)
        if withdrawn.count > waiting + 16 { keep { _ in true } }
    }

    /// Keeps what waits in `front` and meets a condition, and nothing else.
    private mutating func keep(where isKept: (QueuePosition) -> Bool) {
        let kept = front.unordered.filter { isKept($0) && !withdrawn.contains($0.id) }
        front = Heap(kept)
        held = Set(kept.map(\.id))
        withdrawn = []
    }

    mutating func noteStored() {
        hasStored = true
        leftWhileLoading = isLoading
    }

    private mutating func leaveInStore(_ position: QueuePosition) {
        noteStored()
        if isLoading { firstLeft = min(firstLeft ?? position, position) }
    }

    private mutating func hold(_ position: QueuePosition) {
        if held.insert(position.id).inserted {
            front.insert(position)
        } else {
            withdrawn.remove(position.id)
        }
    }

    mutating func startLoad() -> (position: QueuePosition?, limit: Int)? {
        guard hasStored, !isLoading, waiting <= window / 4 else { return nil }
        isLoading = true
        leftWhileLoading = false
        firstLeft = nil
        return (front.max, window - waiting)
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
        if let firstLeft { forget(from: firstLeft) }
    }

    /// Leaves everything from a place on to the store.
    ///
    /// What was read may reach beyond a task that the reading has missed, which would then be behind the window's back.
    private mutating func forget(from place: QueuePosition) {
        guard let last = front.max, place < last else { return }
        keep { $0 < place }
    }
}
