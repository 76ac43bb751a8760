import { useEffect, useState } from 'react';

/** Returns the newest value that has been the same, as JSON, for `delayMs`. */
export const useSettled = <Value>(value: Value, delayMs: number): Value => {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), delayMs);
    return () => clearTimeout(timer);
  }, [text, delayMs]);
  return settled;
};
