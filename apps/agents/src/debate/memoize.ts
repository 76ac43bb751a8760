/** Returns a function that calls `compute` once per key object. Keys must not be mutated. */
export const memoize = <Key extends object, Value>(
  compute: (key: Key) => Value,
): ((key: Key) => Value) => {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
};
