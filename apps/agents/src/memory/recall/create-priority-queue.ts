export type PriorityQueue<T> = {
  push(entry: T): void;
  pop(): T | undefined;
};

/**
 * Creates a priority queue on a binary heap; `pop` returns the entry that `compare` sorts first.
 */
export function createPriorityQueue<T>(compare: (one: T, other: T) => number): PriorityQueue<T> {
  const heap: T[] = [];
  const precedes = (one: number, other: number): boolean => compare(heap[one]!, heap[other]!) < 0;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  };

  return {
    push(entry) {
      let index = heap.push(entry) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && precedes(index, parent);) {
        swap(index, parent);
        index = parent;
        parent = (index - 1) >> 1;
      }
    },
    pop() {
      if (heap.length < 2) return heap.pop();
      const best = heap[0];
      heap[0] = heap.pop()!;
      for (let index = 0; ;) {
        const [left, right] = [2 * index + 1, 2 * index + 2];
        let top = index;
        if (left < heap.length && precedes(left, top)) top = left;
        if (right < heap.length && precedes(right, top)) top = right;
        if (top === index) return best;
        swap(index, top);
        index = top;
      }
    },
  };
}
