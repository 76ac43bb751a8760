import type { SystemFile } from '@witan/stack';
import { createEventEnvironment } from '../config.ts';
import type { FaultSystem } from '../open-running-system.ts';
import type { Lab, OpenPart, Part, Round } from '../run-part.ts';
import type { EventBench } from './bench.ts';
import { runHangingEndpoints } from './hanging-round.ts';
import { createEmitterOutbox, findServiceOutbox, openEmitter } from './open-emitter.ts';
import type { Emitter } from './open-emitter.ts';
import { openReceivers } from './open-receivers.ts';
import { EVENT_INTERVAL_MS, runEventStrike } from './run-event-strike.ts';
import { runSchedule } from './schedule-round.ts';
import { EVENT_STRIKES, PROCESS_STRIKES } from './strikes.ts';
import type { EventStrike } from './strikes.ts';

export const FACTS: Part = {
  summary: 'kills, freezes and deleted streams between the commit of an event and its POST',
  open: async (lab) => {
    const system = await lab.openSystem(createEventEnvironment());
    const outbox = await createEmitterOutbox(system);
    const emitter = await openEmitter(system, async () => outbox);
    return openPart(lab, { system, emitter }, EVENT_STRIKES);
  },
};

export const FACTS_IN_PROCESS: Part = {
  summary: 'kills and freezes of a system in one process, without a broker',
  open: async (lab) => {
    const system = await lab.openProcess(createEventEnvironment());
    if (system.natsUrl) throw new Error('This part needs a system without a broker.');
    const emitter = await openEmitter(system, () => findServiceOutbox(lab.home));
    // A new start may give the database another address.
    system.onRestart(emitter.kill);
    return openPart(lab, { system, emitter }, PROCESS_STRIKES);
  },
};

const openPart = async (
  { home, random, resources }: Lab,
  parts: { system: FaultSystem & SystemFile; emitter: Emitter },
  strikes: readonly EventStrike[],
): Promise<OpenPart> => {
  resources.defer(parts.emitter.stop);
  const receivers = await openReceivers();
  resources.defer(receivers.close);
  const bench: EventBench = { home, random, receivers, ...parts };
  const rounds: Round[] = [
    // The retry schedule is checked first, before a strike could slow down the system.
    { name: 'events, schedule', run: () => runSchedule(bench) },
    ...strikes.map((one) => ({ name: one.name, run: () => runEventStrike(one, bench) })),
    { name: 'events, 50 hanging endpoints', run: () => runHangingEndpoints(bench) },
  ];
  const figures = { eventIntervalMs: EVENT_INTERVAL_MS };
  return { rounds, finish: async () => ({ figures, violations: [] }) };
};
