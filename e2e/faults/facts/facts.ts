import { createEventEnvironment } from '../config.ts';
import type { Part, Round } from '../run-part.ts';
import type { EventBench } from './bench.ts';
import { runHangingEndpoints } from './hanging-round.ts';
import { openEmitter } from './open-emitter.ts';
import { openReceivers } from './open-receivers.ts';
import { EVENT_INTERVAL_MS, runEventStrike } from './run-event-strike.ts';
import { runSchedule } from './schedule-round.ts';
import { EVENT_STRIKES } from './strikes.ts';

export const FACTS: Part = {
  summary: 'kills, freezes and deleted streams between the commit of an event and its POST',
  open: async ({ home, random, resources, openSystem }) => {
    const system = await openSystem(createEventEnvironment());
    const receivers = await openReceivers();
    resources.defer(receivers.close);
    const emitter = await openEmitter(system);
    resources.defer(emitter.stop);
    const bench: EventBench = { home, random, system, emitter, receivers };
    const rounds: Round[] = [
      // The retry schedule is checked first, before a strike could slow down the system.
      { name: 'events, schedule', run: () => runSchedule(bench) },
      ...EVENT_STRIKES.map((one) => ({ name: one.name, run: () => runEventStrike(one, bench) })),
      { name: 'events, 50 hanging endpoints', run: () => runHangingEndpoints(bench) },
    ];
    const figures = { eventIntervalMs: EVENT_INTERVAL_MS };
    return { rounds, finish: async () => ({ figures, violations: [] }) };
  },
};
