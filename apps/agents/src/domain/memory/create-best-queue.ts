/** Entries of which the best one is taken first. */
export type BestQueue<T> = {
  push(entry: T): void;
  /** Undefined when it is empty. */
  pop(): T | undefined;
};

/** A binary heap: both steps take logarithmic time. `compare` puts better ones first. */
export function createBestQueue<T>(compare: (one: T, other: T) => number): BestQueue<T> {
  // An entry is no worse than the two below it, at twice its place and 1 or 2 more.
  const heap: T[] = [];
  const isBetter = (one: number, other: number): boolean => compare(heap[one]!, heap[other]!) < 0;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  };

  return {
    push(entry) {
      let place = heap.push(entry) - 1;
      for (let above = (place - 1) >> 1; place > 0 && isBetter(place, above);) {
        swap(place, above);
        place = above;
        above = (place - 1) >> 1;
      }
    },
    pop() {
      if (heap.length < 2) return heap.pop();
      const best = heap[0];
      heap[0] = heap.pop()!;
      for (let place = 0; ;) {
        const [left, right] = [2 * place + 1, 2 * place + 2];
        let top = place;
        if (left < heap.length && isBetter(left, top)) top = left;
        if (right < heap.length && isBetter(right, top)) top = right;
        if (top === place) return best;
        swap(place, top);
        place = top;
      }
    },
  };
}
