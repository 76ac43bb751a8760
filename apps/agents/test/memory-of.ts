import { toKeyNorm } from '../src/memory/memory.ts';
import type { Memory } from '../src/memory/memory.ts';

export function memoryOf(key: string, change: Partial<Memory> = {}): Memory {
  return {
    id: `mem_${key}${change.isGlobal ? '_global' : ''}`,
    key,
    keyNorm: toKeyNorm(key),
    type: 'fact',
    value: `value of ${key}`,
    isGlobal: false,
    isLocalOnly: false,
    isTainted: false,
    importance: 0,
    origin: 'tag',
    sessionId: null,
    updatedAt: new Date('2026-01-01T00:00:00Z'),
    lastUsedAt: new Date('2026-01-01T00:00:00Z'),
    ...change,
  };
}
