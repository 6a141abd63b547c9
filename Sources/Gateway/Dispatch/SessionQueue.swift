import HeapModule
import TaskStore

/// One session's places and the front of its queue.
///
/// Everything held in memory starts before everything that is only in the store: a task that belongs behind the window
/// stays in the store, and one that belongs into it pushes the last one out. The store may still call a task queued
/// that was just started from here, so a start can come twice; the task's life cycle refuses the second.
struct SessionQueue {
    private(set) var running = 0
    private let limit: Int
    private let window: Int
    private var front = Heap<QueuePosition>()
    /// What is in `front`, so that a task read from the store twice is held once.
    private var held: Set<TaskID> = []
    /// The store may have tasks behind the window.
    private var hasStored = false
    private var isLoading = false
    /// A task was left in the store while a part of the queue was being read: the reading may have missed it.
    private var leftWhileLoading = false
    private var hasTurn = false

    init(limit: Int, window: Int) {
        self.limit = limit
        self.window = window
    }

    // MARK: Places

    mutating func reserve() -> Bool {
        guard running < limit, front.isEmpty, !hasStored else { return false }
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
        guard !hasTurn, running < limit, !front.isEmpty else { return false }
        hasTurn = true
        return true
    }

    /// Uses the turn: takes the first task and a place for it.
    mutating func start() -> QueuePosition? {
        hasTurn = false
        guard running < limit, let first = front.popMin() else { return nil }
        held.remove(first.id)
        running += 1
        return first
    }

    // MARK: Window

    mutating func insert(_ position: QueuePosition) {
        if hasStored {
            // Behind the window there may be others that go first.
            guard let last = front.max, position < last else { return leaveInStore() }
        }
        hold(position)
        if front.count > window, let last = front.popMax() {
            held.remove(last.id)
            leaveInStore()
        }
    }

    mutating func noteStored() {
        leaveInStore()
    }

    private mutating func leaveInStore() {
        hasStored = true
        leftWhileLoading = isLoading
    }

    private mutating func hold(_ position: QueuePosition) {
        if held.insert(position.id).inserted {
            front.insert(position)
        }
    }

    mutating func startLoad() -> (position: QueuePosition?, limit: Int)? {
        guard hasStored, !isLoading, front.count <= window / 4 else { return nil }
        isLoading = true
        leftWhileLoading = false
        return (front.max, window - front.count)
    }

    mutating func finishLoad(_ positions: [QueuePosition]?, limit: Int) {
        isLoading = false
        guard let positions else { return }
        positions.forEach { hold($0) }
        hasStored = leftWhileLoading || positions.count >= limit
        leftWhileLoading = false
    }
}
