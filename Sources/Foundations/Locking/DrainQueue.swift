/// A queue that the first caller drains while the others append: a value, guarded by the lock of its owner.
///
/// A thread that decides under a lock and acts after releasing it can be overtaken: a "suspend" would then be carried
/// out after a later "resume". So decisions are queued under the same lock, and the caller that finds the queue idle
/// drains it, performing each element without the lock:
///
/// ```swift
/// guard state.withLock({ $0.steps.append(step) }) else { return }
/// while let step = state.withLock({ $0.steps.next() }) { perform(step) }
/// ```
///
/// At most one caller drains the queue at a time, and it takes the elements in the order of their appending.
@usableFromInline
package struct DrainQueue<Element> {
    @usableFromInline var waiting: [Element] = []
    /// True from the first element until the queue was found empty; the queue is empty while it is false.
    @usableFromInline var isDraining = false

    /// Creates an idle queue.
    @inlinable
    package init() {}

    /// The number of elements that were not taken yet.
    @inlinable
    package var count: Int { waiting.count }

    /// Adds an element after all others.
    ///
    /// - Returns: True if the caller must drain the queue: take elements until there are none. If false, another caller
    ///   is draining the queue and will also take this element.
    @inlinable
    package mutating func append(_ element: Element) -> Bool {
        waiting.append(element)
        defer { isDraining = true }
        return !isDraining
    }

    /// Adds several elements after all others, next to each other.
    ///
    /// - Returns: True if the caller must drain the queue, as after ``append(_:)``; false if there are no elements.
    @inlinable
    package mutating func append(contentsOf elements: some Collection<Element>) -> Bool {
        guard !elements.isEmpty else { return false }
        waiting.append(contentsOf: elements)
        defer { isDraining = true }
        return !isDraining
    }

    /// Removes and returns the next element; `nil` ends the draining.
    @inlinable
    package mutating func next() -> Element? {
        isDraining = !waiting.isEmpty
        return isDraining ? waiting.removeFirst() : nil
    }

    /// Removes and returns the next elements, at most a number of them; `nil` ends the draining.
    @inlinable
    package mutating func next(atMost limit: Int) -> [Element]? {
        isDraining = !waiting.isEmpty
        guard isDraining else { return nil }
        if waiting.count <= limit {
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(limit) }
        return Array(waiting.prefix(limit))
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
