import { createHook } from 'node:async_hooks';
import crypto from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import type { CpuProfile } from '../../profile/attribute-samples.ts';

/** An order to a process of Witan that inspects itself. */
export type InspectOrder = 'start-profile' | 'stop-profile' | 'start-counts' | 'stop-counts';
/** Numbers of objects made and of functions called, by name. */
export type Counts = Record<string, number>;

const SAMPLE_MICROS = 200;
/** Asynchronous resources by Node's name for them, with ours. */
const RESOURCES: Readonly<Record<string, string>> = {
  PROMISE: 'promises',
  Timeout: 'timers',
  Immediate: 'immediates',
  TickObject: 'ticks',
};
/** Functions whose calls are counted: their objects and members. */
const FUNCTIONS = [
  [JSON, 'parse', 'JSON.parse'],
  [JSON, 'stringify', 'JSON.stringify'],
  [crypto, 'hash', 'hashes'],
  [crypto, 'createHmac', 'HMACs'],
  [Buffer, 'concat', 'Buffer.concat'],
  [Socket.prototype, '_write', 'socket writes'],
  [Socket.prototype, '_writev', 'socket writes'],
  [EventTarget.prototype, 'addEventListener', 'listeners of signals'],
] as unknown as readonly [Record<string, (...args: unknown[]) => unknown>, string, string][];

let session: Session | undefined;
let stopCounting: (() => Counts) | undefined;

/** Executes an order; resolves with the profile or the counts when it stops them. */
export const inspectProcess = async (order: InspectOrder): Promise<CpuProfile | Counts | null> => {
  if (order === 'start-counts') stopCounting = startCounting();
  if (order === 'stop-counts') return stopCounting!();
  if (order === 'start-profile') session = await startProfile();
  if (order !== 'stop-profile') return null;
  const { profile } = await session!.post('Profiler.stop');
  session!.disconnect();
  return profile as CpuProfile;
};

const startProfile = async (): Promise<Session> => {
  const started = new Session();
  started.connect();
  await started.post('Profiler.enable');
  await started.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  await started.post('Profiler.start');
  return started;
};

const startCounting = (): (() => Counts) => {
  const counts: Counts = {};
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const hook = createHook({
    init: (_id, type) => {
      const name = RESOURCES[type];
      if (name !== undefined) count(name);
    },
  }).enable();
  const restores = FUNCTIONS.map(([target, member, name]) => {
    const original = target[member]!;
    target[member] = function counted(...args) {
      count(name);
      return Reflect.apply(original, this, args);
    };
    return () => {
      target[member] = original;
    };
  });
  const Original = globalThis.AbortController;
  globalThis.AbortController = class extends Original {
    constructor() {
      super();
      count('abort controllers');
    }
  };
  // Named imports of built-in modules are copies.
  syncBuiltinESMExports();
  return () => {
    hook.disable();
    for (const restore of restores) restore();
    globalThis.AbortController = Original;
    syncBuiltinESMExports();
    return counts;
  };
};
